"""The texts that the encoder reads. The TypeScript runtime must form the same ones.

request  the last user message
window   the last messages, oldest first, each as "user: …", "assistant: …" (with " called NAME"
         words for calls) or "tool: …", joined by a space; encoded with its END kept
tool     "NAME WORDS: DESCRIPTION; PARAMETER NAME WORDS"
         NAME WORDS       the name split at camelCase, digits stay, and at every character that is
                          neither letter nor digit, joined by single spaces
         DESCRIPTION      white space collapsed, first 300 characters
         PARAMETER NAMES  top-level properties in order, each split like the name, joined by ", "
         Without description or parameters the separator before them is left out.
         If the tool's group (its server) is known and the name does not begin with it, the words of
         the group may stand before the name: "GROUP WORDS NAME WORDS: …". train.py draws both
         forms; the shipped weights were trained before that, on the form without.

A tool is cut to 48 tokens, the others to 64, [CLS] and [SEP] included.
"""

import re

DESCRIPTION_CHARACTERS = 300
WINDOW_MESSAGES = 4
WINDOW_CHARACTERS = 600

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def split_name(name):
    """`createIssue_v2` becomes `create Issue v2`."""
    return " ".join(re.sub(r"[\W_]+", " ", _CAMEL.sub(" ", name)).split())


def form_tool_text(name, description="", parameters=None, group=""):
    """The text of a tool."""
    text = split_name(name)
    prefix = split_name(group or "")
    if prefix and not text.lower().startswith(prefix.lower()):
        text = f"{prefix} {text}"
    description = " ".join((description or "").split())[:DESCRIPTION_CHARACTERS].strip()
    if description:
        text += ": " + description
    properties = (parameters or {}).get("properties") or {}
    names = ", ".join(split_name(key) for key in properties)
    return f"{text}; {names}" if names else text


def form_window_text(messages):
    """The text of the last messages: {role, text, toolCalls?: names, toolName?}."""
    parts = []
    for message in messages[-WINDOW_MESSAGES:]:
        text = " ".join(message["text"].split())
        calls = ", ".join(split_name(name) for name in message.get("toolCalls", []))
        if calls:
            text = f"{text} called {calls}".strip()
        if text:
            parts.append(f"{message['role']}: {text}")
    return " ".join(parts)[-WINDOW_CHARACTERS:]


def form_request_text(messages):
    """The last user message."""
    for message in reversed(messages):
        if message["role"] == "user" and message["text"].strip():
            return " ".join(message["text"].split())[:2000]
    return ""
