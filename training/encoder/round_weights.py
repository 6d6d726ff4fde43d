"""Rounds the weights of an exported encoder to the 91 levels that the package stores.

Each row of a matrix is a scale times whole numbers from -45 to 45. The error of a weight is made up
for by the weights that are not rounded yet, so that the outputs over the given texts change least
(GPTQ, Frantar et al. 2022, arXiv:2210.17323).
"""

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import torch

from bert import Encoder, name_tensors
from vocabulary import TextEncoding

LEVELS, BLOCK, DAMPING = 45, 64, 0.01
GROUPS = [("query", "key", "value"), ("output",), ("ffn_in",), ("ffn_out",)]


def read_model(folder):
    """The encoder and vocabulary of an exported folder."""
    model = json.loads((Path(folder) / "model.json").read_text())
    values = np.fromfile(Path(folder) / "model.bin", dtype="<f4")
    encoder = Encoder(len(model["vocab"]), model["layers"], model["maxTokens"]).eval()
    for (name, parameter), tensor in zip(name_tensors(encoder), model["tensors"], strict=True):
        assert name == tensor["name"]
        part = values[tensor["offset"] : tensor["offset"] + parameter.numel()]
        parameter.data = torch.from_numpy(part.copy()).view(parameter.shape)
    return encoder, model["vocab"]


def quantise(weights, scales):
    """The nearest level, times the scale."""
    return (weights / scales).round().clamp(-LEVELS, LEVELS) * scales


def find_scales(weights):
    """For each row the scale of least squared error; a few outliers may be cut off."""
    largest = weights.abs().amax(1, keepdim=True).clamp(min=1e-12)
    candidates = torch.stack([largest * (1 - step / 60) / LEVELS for step in range(31)])
    errors = torch.stack([((weights - quantise(weights, s)) ** 2).sum(1) for s in candidates])
    best = errors.argmin(0)
    return candidates[best, torch.arange(len(weights))]


def round_matrix(weights, moments):
    """Rounds column by column; moments is the mean of input × inputᵀ."""
    width = weights.shape[1]
    scales = find_scales(weights)
    moments = moments + torch.eye(width) * DAMPING * moments.diag().mean()
    order = moments.diag().argsort(descending=True)
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(moments[order][:, order]))
    factor = torch.linalg.cholesky(inverse, upper=True)
    rest, rounded = weights[:, order].clone(), torch.zeros_like(weights)
    for start in range(0, width, BLOCK):
        end = min(start + BLOCK, width)
        errors = torch.zeros(len(weights), end - start)
        for column in range(start, end):
            rounded[:, column] = quantise(rest[:, column : column + 1], scales)[:, 0]
            error = (rest[:, column] - rounded[:, column]) / factor[column, column]
            rest[:, column:end] -= error[:, None] * factor[column, column:end]
            errors[:, column - start] = error
        rest[:, end:] -= errors @ factor[start:end, end:]
    result = torch.zeros_like(rounded)
    result[:, order] = rounded
    return result


def collect_inputs(encoder, module, rows):
    """The inputs of a module, one row a token."""
    inputs = []
    hook = module.register_forward_hook(lambda _, given, __: inputs.append(given[0][0]))
    for row in rows:
        encoder(torch.tensor([row]), torch.ones(1, len(row)))
    hook.remove()
    return torch.cat(inputs)


@torch.no_grad()
def round_encoder(encoder, rows):
    """Rounds in place, layer by layer; each sees the inputs that the rounded layers before it give."""
    encoder.word.weight.data = quantise(encoder.word.weight, find_scales(encoder.word.weight))
    for layer in encoder.layers:
        for group in GROUPS:
            inputs = collect_inputs(encoder, getattr(layer, group[0]), rows)
            moments = inputs.T @ inputs / len(inputs)
            for name in group:
                linear = getattr(layer, name)
                linear.weight.data = round_matrix(linear.weight.data, moments)


def main():
    """Writes a copy of a model folder with rounded weights; reference.json stays the float model's."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", required=True, help="a file with one text a line, some 500")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    encoder, vocabulary = read_model(options.model)
    texts = Path(options.texts).read_text().splitlines()
    round_encoder(encoder, TextEncoding(vocabulary, encoder.max_tokens).encode(texts))
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    for name in ("model.json", "reference.json"):
        shutil.copy(Path(options.model) / name, out / name)
    with open(out / "model.bin", "wb") as file:
        for _, parameter in name_tensors(encoder):
            file.write(np.ascontiguousarray(parameter.detach().numpy().astype("<f4")).tobytes())


if __name__ == "__main__":
    main()
