"""Few-shot examples: show the judge how you grade."""

from judgekit import create_llm_as_judge
from judgekit.types import FewShotExample

question = "Name the four great generals of the Warring States period."
examples: list[FewShotExample] = [
    {
        "inputs": question,
        "outputs": "Wu Qi, Sima Cuo, Yue Yi, Meng Tian",
        "score": 0.0,
        "reasoning": "None is right.",
    },
    {
        "inputs": question,
        "outputs": "Bai Qi, Li Mu, Yue Yi, Meng Tian",
        "score": 0.5,
        "reasoning": "Two of four.",
    },
    {
        "inputs": question,
        "outputs": "Bai Qi, Li Mu, Wang Jian, Lian Po",
        "score": 1.0,
        "reasoning": "All four.",
    },
]

judge = create_llm_as_judge(
    prompt="How much of the answer is right?\n\nQuestion: {inputs}\nAnswer: {outputs}",
    model="openai:gpt-5.4-mini",
    choices=[0.0, 0.25, 0.5, 0.75, 1.0],
    few_shot_examples=examples,
)
print(judge(inputs=question, outputs="Sun Bin, Li Mu, Wang Jian, Lian Po")["score"])
