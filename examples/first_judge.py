"""A first judge: is an answer correct, given a reference?"""

from judgekit import create_llm_as_judge
from judgekit.prompts import CORRECTNESS_PROMPT

judge = create_llm_as_judge(
    prompt=CORRECTNESS_PROMPT,
    model="openai:gpt-5.4-mini",
    feedback_key="correctness",
)

result = judge(
    inputs="How many moons does Mars have?",
    outputs="Mars has two moons, Phobos and Deimos.",
    reference_outputs="2",
)
print(result["score"], "-", result["comment"])
