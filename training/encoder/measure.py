"""Prints ranks of needed tools for exported models, on parts that they have not seen.

python measure.py --data FOLDER --corpus FOLDER --models FOLDER,FOLDER [--split test] [--json FILE]
"""

import argparse
import json
import time
from collections import defaultdict

import torch

from bert import pad
from data import read_corpus, read_public
from export import import_model
from quantise import quantise
from ranks import measure_ranks, sample_trials, summarise
from vocabulary import TextEncoding


def group_cases(public, corpus):
    """Cases by the line they are reported in."""
    lines = defaultdict(list)
    for case in public:
        lines[case.part].append(case)
    for case in corpus:
        english = case.language == "en"
        lines["corpus, English" if english else "corpus, other languages"].append(case)
    return lines


def seen_sources(model):
    """Sources that a model was trained on."""
    options = model.get("provenance", {}).get("options", {})
    return set(options["sources"].split(",")) if options else set()


def time_text(encoder, tokens, depth):
    """Milliseconds of one text on this machine, in torch on one thread, the best of 20."""
    ids, present = pad([[5] * tokens])
    best = 1e9
    for _ in range(20):
        start = time.perf_counter()
        with torch.no_grad():
            encoder(ids, present, depth)
        best = min(best, time.perf_counter() - start)
    return round(best * 1000, 1)


def count_multiplications(model, tokens, depth):
    """Million multiplications of one text's linear layers."""
    hidden, ffn = model["hidden"], model["ffn"]
    return round(depth * tokens * (4 * hidden * hidden + 2 * hidden * ffn) / 1e6)


def select_needs(ranks, trials, wanted):
    """The ranks of those trials' needs whose case is wanted."""
    chosen, at = [], 0
    for case, _ in trials:
        size = len(case.needs)
        if wanted(case):
            chosen += ranks[at : at + size]
        at += size
    return chosen


def add_line(figures, line, ranks):
    figures[line] = {name: summarise(values) for name, values in ranks.items()}
    figures[line]["needs"] = len(ranks["cosine"])


def measure_model(folder, lines, limit, rounded):
    encoder, vocabulary, model = import_model(folder)
    encoder = quantise(encoder).eval() if rounded else encoder.eval()
    encoding = TextEncoding(vocabulary)
    depth = model.get("toolDepth", model["layers"])
    seen = seen_sources(model)
    figures = {}
    for line, cases in lines.items():
        source = cases[0].source
        if source != "corpus" and source in seen:
            continue
        whole = source == "corpus"
        trials = sample_trials(cases, len(cases) if whole else limit, 7)
        ranks = measure_ranks(encoder, encoding, trials, depth)
        add_line(figures, line, ranks)
        if whole:
            with_groups = measure_ranks(encoder, encoding, trials, depth, grouped=True)
            add_line(figures, f"{line}, groups known", with_groups)
        for kind in sorted({case.kind for case in cases}) if line == "corpus, English" else []:
            wanted = lambda case, kind=kind: case.kind == kind
            part = {name: select_needs(r, trials, wanted) for name, r in ranks.items()}
            add_line(figures, f"corpus, {kind}", part)
    shape = {"layers": model["layers"], "toolDepth": depth, "vocabulary": len(vocabulary)}
    cost = {
        "request24": [count_multiplications(model, 24, model["layers"]), time_text(encoder, 24, None)],
        "tool48": [count_multiplications(model, 48, depth), time_text(encoder, 48, depth)],
    }
    return {**shape, "rounded": rounded, "cost": cost, "figures": figures}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--split", default="test")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--exact", action="store_true", help="float weights instead of 91 levels")
    parser.add_argument("--only-corpus", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.set_num_threads(1)
    _, corpus = read_corpus(options.corpus, {options.split})
    lines = group_cases([] if options.only_corpus else read_public(options.data), corpus)
    results = {}
    for folder in options.models.split(","):
        result = measure_model(folder, lines, options.limit, not options.exact)
        results[folder] = result
        print(f"\n{folder}: {result['layers']} layers, tools {result['toolDepth']}, {result['cost']}")
        for line, row in result["figures"].items():
            print(f"  {line:34} {row['needs']:5}  {row['cosine']}  +bm25 {row['both']}  bm25 {row['bm25']}")
    if options.json:
        open(options.json, "w").write(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
