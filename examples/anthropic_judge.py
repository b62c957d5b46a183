"""Judge with Claude: by a model string, or with a client of your own."""

from anthropic import Anthropic

from judgekit import create_llm_as_judge
from judgekit.prompts import CONCISENESS_PROMPT

item = {"inputs": "What is the capital of Peru?", "outputs": "The capital of Peru is Lima."}

by_name = create_llm_as_judge(prompt=CONCISENESS_PROMPT, model="anthropic:claude-sonnet-5-5")
print(by_name(**item)["score"])

with Anthropic() as client:
    by_client = create_llm_as_judge(prompt=CONCISENESS_PROMPT, judge=client, model="claude-sonnet-5-5")
    print(by_client(**item)["score"])
