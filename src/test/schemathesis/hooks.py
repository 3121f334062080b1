import schemathesis

LONGEST_WAIT_S = 60


@schemathesis.hook
def filter_case(context, case):
    """Of a query parameter that is there twice the first counts, and an empty X-Timeout is none; no schema can say so."""
    repeated = any(isinstance(value, (list, dict)) for value in (case.query or {}).values())
    return not repeated and (case.headers or {}).get("X-Timeout") not in ("", [], {})


@schemathesis.hook
def before_call(context, case, **kwargs):
    """A wait that is allowed would be waited for, so it becomes 0; any other goes as it is, and must be refused."""
    query = case.query or {}
    if is_waited_for(query.get("wait", ""), case.operation.label):
        case.query = {**query, "wait": 0}


def is_waited_for(wait, operation):
    sends = operation == "POST /workspaces/{id}/a2a"
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
