import schemathesis


@schemathesis.hook
def filter_case(context, case):
    """Of a query parameter that is there twice the first counts, and an empty X-Timeout is none; no schema can say so."""
    repeated = any(isinstance(value, (list, dict)) for value in (case.query or {}).values())
    return not repeated and (case.headers or {}).get("X-Timeout") not in ("", [], {})
