"""A model inside this process (needs: local): no key, no server. It is tiny: expect plumbing, not judgement."""

from judgekit import connect, create_llm_as_judge
from judgekit.prompts import CORRECTNESS_PROMPT

model = connect("local:smollm2", readout="logprobs")
judge = create_llm_as_judge(prompt=CORRECTNESS_PROMPT, judge=model)

result = judge(inputs="Capital of France?", outputs="Paris", reference_outputs="Paris")
print(result["score"], result["metadata"]["probabilities"])
