"""Reads the public sets and the project's own corpus into cases over catalogs."""

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from texts import form_request_text, form_tool_text, form_window_text, split_name

LICENCES = {
    "invented": "Apache-2.0, training/encoder/invented-tools.txt",
    "corpus": "Apache-2.0 requests; catalogs as listed in training/corpus/NOTICE.md",
    "bfcl": "Apache-2.0, ShishirPatil/gorilla @6ea5797",
    "metatool": "MIT, HowieHwong/MetaTool @35e81bb",
    "sealtools": "Apache-2.0, fairyshine/Seal-Tools @ce753ec",
    "stabletoolbench": "Apache-2.0, THUNLP-MT/StableToolBench @aa4ed9f",
    "apibank": "Apache-2.0, AlibabaResearch/DAMO-ConvAI api-bank",
}


@dataclass
class Catalog:
    """The tools of one source or agent."""

    name: str
    tools: list
    texts: list = field(default_factory=list)
    grouped: list = field(default_factory=list)
    index: dict = field(default_factory=dict)

    def __post_init__(self):
        for tool in self.tools:
            parts = tool["name"], tool.get("description"), tool.get("parameters")
            self.texts.append(form_tool_text(*parts))
            self.grouped.append(form_tool_text(*parts, tool.get("server")))
        self.index = {tool.get("id", tool["name"]): at for at, tool in enumerate(self.tools)}


@dataclass
class Case:
    """A request; every need lists the tools (positions in the catalog) any of which serves it."""

    source: str
    part: str
    kind: str
    language: str
    catalog: Catalog
    request: str
    window: str
    candidates: list | None
    needs: list

    @property
    def needed(self):
        return {tool for need in self.needs for tool in need}


def read_lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]


def _to_case(source, part, kind, catalog, messages, candidates, gold):
    """None if a needed tool is unknown or the labels are open."""
    if gold is None or any(name not in catalog.index for name in gold):
        return None
    request = form_request_text(messages)
    if not request:
        return None
    known = None
    if candidates is not None:
        known = [catalog.index[name] for name in candidates if name in catalog.index]
    needs = [[catalog.index[name]] for name in dict.fromkeys(gold)]
    window = form_window_text(messages)
    return Case(source, part, kind, "en", catalog, request, window, known, needs)


def _plain(messages):
    return [{"role": m["role"], "text": m["content"]} for m in messages]


def _read_conversations(source, catalog, lines):
    for line in lines:
        history = []
        for turn in line["turns"]:
            users = [turn["user"]] if isinstance(turn["user"], str) else turn["user"]
            history += [{"role": "user", "text": text} for text in users]
            candidates = turn.get("candidates")
            if candidates is None and line.get("candidates"):
                removed = set(turn.get("candidates_removed", []))
                candidates = [name for name in line["candidates"] if name not in removed]
            gold = turn["gold"]
            if gold:
                yield _to_case(source, "BFCL multi-turn", "multi", catalog, history, candidates, gold)
                history = history + [{"role": "assistant", "text": "", "toolCalls": gold}]


def _read_trajectories(source, catalog, lines):
    for line in lines:
        history = []
        for message in line["messages"]:
            if message["role"] != "call":
                history.append({"role": message["role"], "text": message["content"]})
                continue
            seen = list(history)
            while seen and seen[-1]["role"] == "assistant" and "toolCalls" not in seen[-1]:
                seen.pop()
            yield _to_case(source, "API-Bank", "one", catalog, seen, None, [message["name"]])
            result = message.get("result")
            text = result if isinstance(result, str) else json.dumps(result)
            history.append({"role": "assistant", "text": "", "toolCalls": [message["name"]]})
            history.append({"role": "tool", "text": text, "toolName": message["name"]})


def read_public(folder):
    """Cases of all public sets."""
    folder = Path(folder)
    catalogs = {
        name: Catalog(name, read_lines(folder / f"{name}_catalog.jsonl"))
        for name in ["bfcl", "bfcl_mt", "metatool", "sealtools", "stabletoolbench", "apibank"]
    }
    files = [
        ("bfcl", "bfcl_select", None),
        ("metatool", "metatool_single", "MetaTool"),
        ("metatool", "metatool_none_multi", "MetaTool"),
        ("sealtools", "sealtools", "Seal-Tools"),
        ("stabletoolbench", "stabletoolbench", "StableToolBench"),
    ]
    cases = []
    for source, file, part in files:
        for line in read_lines(folder / f"{file}_cases.jsonl"):
            name = part or ("BFCL live" if line["set"].startswith("live_") else "BFCL")
            messages = _plain(line["messages"])
            rest = (line["kind"], catalogs[source], messages, line["candidates"], line["gold"])
            cases.append(_to_case(source, name, *rest))
    lines = read_lines(folder / "bfcl_mt_cases.jsonl")
    cases += _read_conversations("bfcl", catalogs["bfcl_mt"], lines)
    cases += _read_trajectories("apibank", catalogs["apibank"], read_lines(folder / "apibank_traj.jsonl"))
    return [case for case in cases if case and case.needs]


def join_group(group, servers):
    """The tools of a group; a name that two servers share becomes server__tool."""
    owners = defaultdict(set)
    for server in group["servers"]:
        for tool in servers[server]["tools"]:
            owners[tool["name"]].add(server)
    tools = []
    for server in group["servers"]:
        for tool in servers[server]["tools"]:
            name = tool["name"]
            shared = len(owners[name]) > 1
            tools.append({**tool, "name": f"{server}__{name}" if shared else name, "server": server})
    return Catalog(group["id"], tools)


def read_corpus(folder, splits):
    """(catalogs, cases) of the groups of the given splits; requests may be missing still."""
    folder = Path(folder)
    servers = {line["server"]: line for line in read_lines(folder / "catalogs.jsonl")}
    catalogs, cases = [], []
    for group in json.loads((folder / "groups.json").read_text()):
        if group["split"] not in splits:
            continue
        catalog = join_group(group, servers)
        catalogs.append(catalog)
        file = folder / "requests" / f"{group['id']}.jsonl"
        for line in read_lines(file) if file.exists() else []:
            needs = [[catalog.index[name] for name in need] for need in line["needs"]]
            if needs:
                messages = line["messages"]
                texts = form_request_text(messages), form_window_text(messages)
                label = f"corpus {group['split']}", line["kind"], line["language"]
                cases.append(Case("corpus", *label, catalog, *texts, None, needs))
    return catalogs, cases


def read_invented(file=Path(__file__).parent / "invented-tools.txt"):
    """(catalog, cases) of the tools that were invented for training."""
    tools, requests = [], []
    for block in Path(file).read_text().split("\n\n"):
        lines = [line for line in block.strip().split("\n") if line and line[0] != "#"]
        if not lines:
            continue
        server, name, description, parameters = [part.strip() for part in lines[0].split("|")]
        keys = [key.strip() for key in parameters.split(",") if key.strip()]
        schema = {"properties": {key: {} for key in keys}}
        requests += [(len(tools), line) for line in lines[1:]]
        identity = {"id": f"{server}.{name}", "server": server, "name": name}
        tools.append({**identity, "description": description, "parameters": schema})
    catalog = Catalog("invented", tools)
    label = "invented", "invented", "indirect", "en", catalog
    return catalog, [Case(*label, text, "user: " + text, None, [[at]]) for at, text in requests]


def build_weak_pairs(catalogs):
    """(query, tool text, catalog, position) from names and descriptions of the corpus."""
    pairs = []
    for catalog in catalogs:
        for at, tool in enumerate(catalog.tools):
            description = " ".join((tool.get("description") or "").split())
            first = re.split(r"(?<=[.!?])\s", description)[0][:200]
            if len(first) < 12:
                continue
            bare = form_tool_text(tool["name"], "", tool.get("parameters"))
            headless = form_tool_text("", description, tool.get("parameters")).removeprefix(": ")
            pairs.append((first, bare, catalog, at))
            pairs.append((split_name(tool["name"]), headless, catalog, at))
            rest = description[len(first) :].strip()
            if len(rest) > 40:
                pairs.append((rest[:200], form_tool_text(tool["name"], first), catalog, at))
    return pairs
