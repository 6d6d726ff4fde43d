"""Ranks of needed tools: by cosine, by BM25, and by both."""

import math
import random
import re
from collections import Counter

import numpy as np

from bert import embed
from texts import split_name

CATALOG_SIZE = 135
FILL_POOL = 400
BM25_WEIGHT = 0.5
CUTS = (1, 5, 10, 20)


def tokenise(text):
    return re.findall(r"\w+", split_name(text).lower())


class Bm25:
    """Okapi BM25 (k1 1.2, b 0.75) of a query against a list of texts."""

    def __init__(self, texts):
        self.counts = [Counter(tokenise(text)) for text in texts]
        self.lengths = np.array([sum(count.values()) for count in self.counts])
        found = Counter(word for count in self.counts for word in count)
        total = len(texts)
        self.weight = {w: math.log(1 + (total - n + 0.5) / (n + 0.5)) for w, n in found.items()}

    def score(self, query):
        scores = np.zeros(len(self.counts))
        norm = 1.2 * (0.25 + 0.75 * self.lengths / max(1.0, self.lengths.mean()))
        for word in set(tokenise(query)):
            if word in self.weight:
                tf = np.array([count[word] for count in self.counts])
                scores += self.weight[word] * tf * 2.2 / (tf + norm)
        return scores


def standardise(scores):
    return (scores - scores.mean()) / (scores.std() + 1e-9)


def sample_trials(cases, limit, seed):
    """Up to limit cases, each with the positions of the tools it is ranked among."""
    draw = random.Random(seed)
    chosen = draw.sample(cases, min(limit, len(cases)))
    pools = {}
    trials = []
    for case in chosen:
        size = len(case.catalog.tools)
        if case.source == "corpus" or size <= CATALOG_SIZE:
            trials.append((case, list(range(size))))
            continue
        key = id(case.catalog)
        if key not in pools:
            pools[key] = draw.sample(range(size), min(FILL_POOL, size))
        own = list(dict.fromkeys([*case.needed, *(case.candidates or [])]))
        rest = [tool for tool in pools[key] if tool not in own]
        trials.append((case, own + draw.sample(rest, max(0, min(len(rest), CATALOG_SIZE - len(own))))))
    return trials


def rank_needs(scores, positions, needs):
    """Rank of each need: tools of other needs do not count as being in its way."""
    at = {tool: index for index, tool in enumerate(positions)}
    needed = {tool for need in needs for tool in need}
    others = np.array([scores[at[tool]] for tool in positions if tool not in needed])
    for need in needs:
        best = max(scores[at[tool]] for tool in need)
        yield 1 + int((others >= best).sum())


def measure_ranks(encoder, encoding, trials, tool_depth=None, grouped=False):
    """{'cosine': ranks, 'both': ranks, 'bm25': ranks}, one per need."""
    form = "grouped" if grouped else "texts"
    texts = list(
        dict.fromkeys(getattr(case.catalog, form)[at] for case, tools in trials for at in tools)
    )
    rows = dict(zip(texts, embed(encoder, encoding.encode(texts, "tool"), tool_depth).numpy()))
    requests = embed(encoder, encoding.encode([case.request for case, _ in trials])).numpy()
    windows = embed(encoder, encoding.encode([c.window for c, _ in trials], "end")).numpy()
    ranks = {"cosine": [], "both": [], "bm25": []}
    lexicals = {}
    for (case, tools), request, window in zip(trials, requests, windows):
        offered = [getattr(case.catalog, form)[at] for at in tools]
        matrix = np.stack([rows[text] for text in offered])
        cosine = standardise(matrix @ request)
        key = hash(tuple(offered))
        bm25 = lexicals[key] = lexicals.get(key) or Bm25(offered)
        lexical = standardise(bm25.score(case.request))
        if case.window != "user: " + case.request:
            cosine = standardise(cosine + standardise(matrix @ window))
            lexical = standardise(lexical + standardise(bm25.score(case.window)))
        scores = {"cosine": cosine, "both": cosine + BM25_WEIGHT * lexical, "bm25": lexical}
        for name, values in scores.items():
            ranks[name] += rank_needs(values, tools, case.needs)
    return ranks


def summarise(ranks):
    """Share of needs within each cut, in per cent."""
    values = np.array(ranks)
    return [round(100 * float((values <= cut).mean()), 1) for cut in CUTS]
