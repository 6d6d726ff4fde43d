"""WordPiece over a pruned vocabulary: what is in use, then BERT's own order."""

import json

from tokenizers import Tokenizer

from bert import read_pretrained

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def read_full_vocabulary():
    """Token strings of MiniLM, in id order, and its tokenizer's JSON."""
    _, text = read_pretrained()
    spec = json.loads(text)
    pairs = sorted(spec["model"]["vocab"].items(), key=lambda pair: pair[1])
    return [token for token, _ in pairs], spec


def build_tokenizer(vocabulary):
    """MiniLM's normaliser and WordPiece over the given tokens; no special tokens are added."""
    _, spec = read_full_vocabulary()
    spec["model"]["vocab"] = {token: index for index, token in enumerate(vocabulary)}
    spec["added_tokens"] = []
    spec["post_processor"] = spec["truncation"] = spec["padding"] = None
    return Tokenizer.from_str(json.dumps(spec))


TOOL_TOKENS = 48


class TextEncoding:
    """Turns text into ids: [CLS], pieces, [SEP]; max_tokens in all, TOOL_TOKENS for a tool."""

    def __init__(self, vocabulary, max_tokens=64):
        self.vocabulary = vocabulary
        self.max_tokens = max_tokens
        self._tokenizer = build_tokenizer(vocabulary)
        self._first = vocabulary.index("[CLS]")
        self._last = vocabulary.index("[SEP]")

    def encode(self, texts, keep="start"):
        """Lists of ids; keep: the start or the end survives the cut, or it is a tool's text."""
        room = (TOOL_TOKENS if keep == "tool" else self.max_tokens) - 2
        rows = []
        for encoding in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            pieces = encoding.ids[-room:] if keep == "end" else encoding.ids[:room]
            rows.append([self._first, *pieces, self._last])
        return rows


def is_single(token):
    """True for a single character, also as a continuation piece."""
    return len(token.removeprefix("##")) == 1


def prune_vocabulary(used_tokens, size):
    """Special tokens, single characters, used tokens (most used first), then BERT's order."""
    full, _ = read_full_vocabulary()
    singles = [token for token in full if is_single(token)]
    ranked = [token for token, _ in sorted(used_tokens.items(), key=lambda pair: -pair[1])]
    plain = [token for token in full if not token.startswith("[unused")]
    wanted = list(dict.fromkeys([*SPECIAL, *singles, *ranked, *plain]))[:size]
    chosen = set(wanted)
    return [token for token in full if token in chosen]
