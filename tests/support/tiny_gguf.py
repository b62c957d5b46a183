"""A llama with one layer and random weights, in a file of some 350 KB: a real engine runs it in milliseconds.

Its answers mean nothing. They are the same on every run, its vocabulary can spell any text (one token for each
byte), and as in real vocabularies some tokens are whole words and one begins with a blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["CONTEXT", "write_tiny_gguf"]

CONTEXT = 8192
WIDTH, HEADS, INNER = 64, 4, 128
WORDS = ("true", "false", " true", "True", "good", "bad", '"}', "}")
TEMPLATE = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"


def write_tiny_gguf(path: Path, *, seed: int = 0) -> Path:
    """Write the model to a file and return the file; `seed` draws its weights."""
    import gguf
    import numpy as np

    random = np.random.default_rng(seed)
    tokens = list(_vocabulary())
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in tokens])
    writer.add_token_scores([-float(rank) for rank in range(len(tokens))])
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    for name, shape in _shapes(len(tokens)).items():
        values = np.ones(shape) if len(shape) == 1 else random.normal(scale=0.2, size=shape)
        writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _vocabulary() -> Iterator[tuple[str, int]]:
    """Tokens, each with its kind as GGUF numbers it; a blank is written as SentencePiece does."""
    from gguf import TokenType

    yield from (("<unk>", TokenType.UNKNOWN), ("<s>", TokenType.CONTROL), ("</s>", TokenType.CONTROL))
    yield from ((f"<0x{byte:02X}>", TokenType.BYTE) for byte in range(256))
    yield from ((word.replace(" ", "\u2581"), TokenType.NORMAL) for word in WORDS)


def _shapes(vocabulary: int) -> dict[str, tuple[int, ...]]:
    square, wide = (WIDTH, WIDTH), (INNER, WIDTH)
    return {
        "token_embd.weight": (vocabulary, WIDTH),
        "output_norm.weight": (WIDTH,),
        "output.weight": (vocabulary, WIDTH),
        "blk.0.attn_norm.weight": (WIDTH,),
        "blk.0.attn_q.weight": square,
        "blk.0.attn_k.weight": square,
        "blk.0.attn_v.weight": square,
        "blk.0.attn_output.weight": square,
        "blk.0.ffn_norm.weight": (WIDTH,),
        "blk.0.ffn_gate.weight": wide,
        "blk.0.ffn_up.weight": wide,
        "blk.0.ffn_down.weight": (WIDTH, INNER),
    }
