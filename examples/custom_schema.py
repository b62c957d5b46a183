"""A schema of your own: the evaluator returns a validated object instead of one score."""

from typing import Literal

from pydantic import BaseModel, Field

from judgekit import create_llm_as_judge


class Review(BaseModel):
    explanation: str = Field(description="Why these grades were given.")
    accuracy: int = Field(ge=1, le=5)
    tone: Literal["friendly", "neutral", "rude"]


judge = create_llm_as_judge(
    prompt="Review this reply to a customer:\n<reply>{outputs}</reply>",
    model="openai:gpt-5.4-mini",
    output_schema=Review,
)
review = judge(outputs="Your invoice is attached. Sorry for the wait!")
print(type(review).__name__, review.accuracy, review.tone)
