"""Your own prompt and rubric, on a scale of your own."""

from judgekit import create_llm_as_judge

PROMPT = """Grade the reply of a support agent.

4 = solves the problem and says what happens next
3 = solves the problem
2 = helps in part
1 = does not help, or promises what the policy forbids

<policy>{policy}</policy>
<question>{inputs[question]}</question>
<reply>{outputs}</reply>
"""

judge = create_llm_as_judge(
    prompt=PROMPT,
    model="openai:gpt-5.4-mini",
    choices=[1, 2, 3, 4],
    feedback_key="helpfulness",
)

result = judge(
    inputs={"question": "My parcel is a week late. Where is it?"},
    outputs="It left our warehouse today. You will get a tracking link by mail within the hour.",
    policy="Refunds are granted after 14 days.",
)
print(result["key"], result["score"])
