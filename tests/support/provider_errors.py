"""What providers say when they cannot do what was asked, in their own words and in their own shape of body.

The texts are quoted from public bug reports and provider documentation of 2024 to 2026. They are what a capability
detector has to recognize: some reach the client's message, others only its `body`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.support.answers import Reply
from tests.support.bodies import error_body
from tests.support.faults import anthropic_error, openai_error

__all__ = ["PROVIDER_ERRORS"]

PROVIDER_ERRORS: Mapping[str, Reply] = {
    # OpenAI
    "openai_json_schema": openai_error(
        400,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        param="response_format",
    ),
    "openai_invalid_schema": openai_error(
        400,
        "Invalid schema for response_format 'score': In context=(), 'additionalProperties' is required to be "
        "supplied and to be false.",
        param="response_format",
    ),
    "openai_nesting": openai_error(
        400,
        "Invalid schema for response_format 'score': 6 levels of nesting exceeds limit of 5.",
        param="response_format",
    ),
    "openai_json_word": openai_error(
        400,
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        param="messages",
    ),
    "openai_temperature": openai_error(
        400,
        "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is "
        "supported.",
        code="unsupported_value",
        param="temperature",
    ),
    "openai_max_tokens": openai_error(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        code="unsupported_parameter",
        param="max_tokens",
    ),
    "openai_logprobs": openai_error(403, "You are not allowed to request logprobs from this model"),
    "openai_quota": openai_error(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
    ),
    # Azure OpenAI
    "azure_api_version": openai_error(
        400,
        "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later",
        code="BadRequest",
    ),
    "azure_prompt_filter": openai_error(
        400,
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        code="content_filter",
        param="prompt",
        innererror={
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True, "severity": "high"}},
        },
    ),
    # Servers that speak OpenAI's protocol
    "gemini_unknown_name": Reply(
        [
            {
                "error": {
                    "code": 400,
                    "message": 'Invalid JSON payload received. Unknown name "additionalProperties": Cannot find field.',
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
        400,
    ),
    "vllm_grammar": Reply(
        {
            "object": "error",
            "message": "The provided JSON schema contains features not supported by xgrammar.",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        400,
    ),
    "llama_cpp_json_schema": openai_error(
        400, 'response_format type must be one of "text" or "json_object", but got: json_schema'
    ),
    "llama_cpp_json_schema_500": openai_error(
        500,
        'response_format type must be one of "text" or "json_object", but got: json_schema',
        "server_error",
    ),
    "lm_studio_json_object": Reply({"error": "'response_format.type' must be 'json_schema' or 'text'"}, 400),
    "groq_json_schema": openai_error(400, "This model does not support response format json_schema"),
    "groq_keyword": openai_error(400, "invalid JSON schema for response_format: minItems is not supported"),
    "groq_generation": openai_error(
        400, "Failed to generate JSON.", code="json_validate_failed", failed_generation="The answer is right."
    ),
    "deepseek_json_schema": openai_error(400, "This response_format type is unavailable now"),
    "deepseek_json_schema_422": openai_error(422, "This response_format type is unavailable now"),
    "mistral_extra_field": Reply(
        {
            "detail": [
                {
                    "type": "extra_forbidden",
                    "loc": ["body", "max_completion_tokens"],
                    "msg": "Extra inputs are not permitted",
                    "input": 100,
                }
            ]
        },
        422,
    ),
    "openrouter_tools": openai_error(404, "No endpoints found that support tool use"),
    "openrouter_upstream": Reply(error_body("Provider returned error", type="upstream", code="502")),
    # Anthropic
    "anthropic_bounds": anthropic_error(
        400,
        "output_config.format.schema: For 'number' type, properties maximum, minimum are not supported",
    ),
    "anthropic_grammar": anthropic_error(400, "The compiled grammar is too large"),
    "anthropic_forced_tool": anthropic_error(
        400, "Thinking may not be enabled when tool_choice forces tool use."
    ),
}
"""By provider and what it refuses. `openrouter_upstream` is an error with status 200."""
