"""Writes a model folder: model.json, model.bin (float32, little endian), reference.json."""

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from bert import EPS, FFN, HEADS, HIDDEN, Encoder, build_pretrained, embed, name_tensors
from vocabulary import TextEncoding, read_full_vocabulary

REFERENCE_TEXTS = [
    "List the open issues of acme/web.",
    "Did anyone complain about the checkout lately?",
    "yes, do it",
    "create issue: Creates a new issue in a repository. title, body, labels, assignees",
    "read file: Read the complete contents of a file from the file system. path, head, tail",
    "Thanks!",
    "¿Qué tiempo hará mañana en Lyon? Ça dépend…",
    "明日の東京の天気は?",
    "user: Book a table for two. assistant: For which evening? user: Friday, 7:30pm",
    "naïve CAFÉ — re-use of co-operative, e.g. 3.14159 & x_y/z.ts",
    "pneumonoultramicroscopicsilicovolcanoconiosis 🚀 ok",
    "search " * 80,
]


def export_model(folder, encoder, vocabulary, extra=None):
    """Writes the encoder with its vocabulary and reference embeddings into folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tensors, offset = [], 0
    with open(folder / "model.bin", "wb") as out:
        for name, parameter in name_tensors(encoder):
            values = parameter.detach().numpy().astype("<f4")
            tensors.append({"name": name, "shape": list(values.shape), "offset": offset})
            out.write(np.ascontiguousarray(values).tobytes())
            offset += values.size
    shape = {
        "layers": len(encoder.layers),
        "hidden": HIDDEN,
        "heads": HEADS,
        "ffn": FFN,
        "maxTokens": encoder.max_tokens,
        "layerNormEps": EPS,
    }
    model = {**shape, **(extra or {}), "vocab": vocabulary, "tensors": tensors}
    (folder / "model.json").write_text(json.dumps(model, ensure_ascii=False))
    write_reference(folder / "reference.json", encoder, vocabulary, (extra or {}).get("toolDepth"))


def import_model(folder):
    """(encoder, vocabulary, model.json) of an exported folder."""
    folder = Path(folder)
    model = json.loads((folder / "model.json").read_text())
    values = np.fromfile(folder / "model.bin", dtype="<f4")
    encoder = Encoder(len(model["vocab"]), model["layers"], model["maxTokens"])
    stored = {tensor["name"]: tensor for tensor in model["tensors"]}
    with torch.no_grad():
        for name, parameter in name_tensors(encoder):
            offset = stored[name]["offset"]
            part = values[offset : offset + parameter.numel()].reshape(parameter.shape)
            parameter.copy_(torch.from_numpy(part.copy()))
    return encoder, model["vocab"], model


def write_reference(path, encoder, vocabulary, tool_depth=None):
    """Texts, their ids and float embeddings, for a runtime's tests."""
    rows = TextEncoding(vocabulary, encoder.max_tokens).encode(REFERENCE_TEXTS)
    vectors = embed(encoder, rows).tolist()
    shallow = embed(encoder, rows, tool_depth).tolist()
    reference = [
        {"text": text, "ids": ids, "embedding": vector, "toolEmbedding": tool}
        for text, ids, vector, tool in zip(REFERENCE_TEXTS, rows, vectors, shallow)
    ]
    path.write_text(json.dumps(reference, ensure_ascii=False))


def main():
    """Exports the untouched MiniLM-L6 with its whole vocabulary."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--max-tokens", type=int, default=64)
    options = parser.parse_args()
    vocabulary, _ = read_full_vocabulary()
    encoder = build_pretrained(list(range(len(vocabulary))), options.max_tokens)
    export_model(options.out, encoder, vocabulary)


if __name__ == "__main__":
    main()
