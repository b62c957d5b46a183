"""Attachments: judge a description against an image."""

import base64

from judgekit import create_llm_as_judge

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

judge = create_llm_as_judge(
    prompt="Here is an image: {attachments}\nDoes this sentence describe it? {outputs}",
    model="openai:gpt-5.4-mini",
)
result = judge(
    outputs="A single grey pixel.",
    attachments={"mime_type": "image/png", "data": PIXEL},
)
print(result["score"])
