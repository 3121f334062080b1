import collections
import json
import os
import re

import schemathesis

LONGEST_WAIT_S = 60

# Only to the workspace of the run: another one may be paused, and sending to it is a 503.
SEND = "POST /workspaces/{id}/a2a"

# One call of so many keeps its well-formed ids, which are mostly of nothing that exists.
UNKNOWN_IN = 8

# What exists, by the name of a parameter; and of single operations the parameters and members of the body.
OBJECTS = json.loads(os.environ["MUSTER_OBJECTS"])

TIME = r"\d{4}-\d\d-\d\d[Tt].*([Zz]|[+-]\d\d:\d\d)"
FORMS = {
    "id": "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "delegationId": r"[\w ,:;~!?=-]{1,128}",
    "token": ".*[!-~].*",
    "t": TIME,
    "from": TIME,
    "to": TIME,
}

calls = collections.Counter()
called = set()


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """A run with a token leaves out sessions. The run with a session leaves out all credentials: it sends its own each time."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            if "MUSTER_SESSION" in os.environ:
                operation.pop("security", None)
            elif "security" in operation:
                operation["security"] = [one for one in operation["security"] if "session" not in one]


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what no schema can forbid: of a query parameter that is there twice the first counts; other headers and an empty
    X-Timeout are none; and an idempotency key that is in two places is the same in both."""
    repeated = any(isinstance(value, (list, dict)) for value in (case.query or {}).values())
    headers = case.headers or {}
    if repeated or headers.get("X-Timeout") in ("", [], {}) or "x-schemathesis-unknown-property" in headers:
        return False
    key, of_body = headers.get("Idempotency-Key"), case.body.get("idempotency_key") if isinstance(case.body, dict) else None
    return not key or not of_body or key == of_body


@schemathesis.hook
def before_call(context, case, **kwargs):
    """Names what exists, and waits for nothing: a wait that is allowed becomes 0, any other goes as it is and must be refused."""
    label = case.operation.label
    calls[label] += 1
    if calls[label] % UNKNOWN_IN or label == SEND:
        name_known(case, OBJECTS.get(label, {}))
    query = case.query or {}
    if is_waited_for(query.get("wait", ""), label):
        case.query = {**query, "wait": 0}


def name_known(case, own):
    """Names what exists in the place of all that is well-formed; what is malformed stays."""
    case.path_parameters = with_known({**OBJECTS, **own}, case.path_parameters)
    case.query = with_known(own, case.query)
    if isinstance(case.body, dict):
        case.body = with_known(own, case.body)


def with_known(objects, values):
    known = {
        name: objects[name]
        for name, value in (values or {}).items()
        if isinstance(objects.get(name), str) and is_well_formed(name, value)
    }
    return {**values, **known} if known else values


def is_well_formed(name, value):
    if not isinstance(value, str) or not value.isascii():
        return False
    return re.fullmatch(FORMS.get(name, FORMS["id"]), value) is not None


def is_waited_for(wait, operation):
    sends = operation == SEND
    if wait == "":
        return sends  # by X-Timeout, without a wait
    try:
        seconds = float(wait)
    except (TypeError, ValueError):
        return False
    if sends:
        return seconds > 0  # beyond the bound it is clamped
    whole = operation != "GET /workspaces/{id}/activity" or str(wait).lstrip("+").isdecimal()
    return whole and 0 < seconds <= LONGEST_WAIT_S


@schemathesis.hook
def after_call(context, case, response):
    """Notes each operation that has succeeded."""
    label = case.operation.label
    if 200 <= response.status_code < 300 and response.request.method == label.split()[0] and label not in called:
        called.add(label)
        with open(os.environ["MUSTER_CALLED"], "a", encoding="utf-8") as file:
            file.write(label + "\n")
