"""What the agents of the official SDKs accept and refuse: sends the requests of probes.json, and describes each answer in one line."""

import json
import pathlib
import urllib.error
import urllib.request

FILE = pathlib.Path(__file__).parents[1] / 'resources/sdks/probes.json'
CARD_PATH = '/.well-known/agent-card.json'


def load():
    return json.loads(FILE.read_text())


def http(method, url, body=None, headers=None, timeout=30):
    """Returns status, content type and text."""
    request = urllib.request.Request(url, body.encode() if body is not None else None, headers or {}, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    with answer:
        return answer.status, answer.headers.get('Content-Type', ''), answer.read().decode()


def texts(node):
    """All texts of the parts in it."""
    if isinstance(node, list):
        return [text for one in node for text in texts(one)]
    if not isinstance(node, dict):
        return []
    own = [part['text'] for part in node.get('parts', []) if isinstance(part, dict) and 'text' in part]
    return own + [text for name, one in node.items() if name not in ('parts', 'history') for text in texts(one)]


def shape(answer, request_id):
    """One JSON-RPC answer in a line: what it is, in which version, its state, its texts, and its id if that is not the request's."""
    foreign = '' if answer.get('id') == request_id else f', id {json.dumps(answer.get("id"))}'
    if 'error' in answer:
        return f'error {answer["error"]["code"]}: {answer["error"]["message"]}{foreign}'
    result = answer.get('result')
    if isinstance(result, dict) and 'kind' in result:
        version, kind, content = '0.3', result['kind'], result
    elif isinstance(result, dict) and len(result) == 1:
        version, (kind, content) = '1.0', next(iter(result.items()))
    else:
        return f'unknown{foreign}'
    state = content.get('status', {}).get('state')
    said = texts(content)
    return f'{version} {kind}' + (f' {state}' if state else '') + (f' "{"|".join(said)}"' if said else '') + foreign


def described(status, content_type, text, request_id):
    if content_type.startswith('text/event-stream'):
        events = [line[5:] for line in text.splitlines() if line.startswith('data:')]
        return f'{status} stream of ' + ', '.join(shape(json.loads(event), request_id) for event in events)
    try:
        return f'{status} ' + shape(json.loads(text), request_id)
    except (ValueError, AttributeError):
        return f'{status} {text[:100]}'


def ask(url, probe):
    headers = {'Content-Type': 'application/json', **probe.get('headers', {})}
    request = probe['request']
    body = request if isinstance(request, str) else json.dumps(request)
    request_id = request.get('id') if isinstance(request, dict) else None
    return described(*http('POST', url, body, headers), request_id)


def card(base):
    """The card that the agent serves, with $URL in place of the address it was started with."""
    return json.loads(json.dumps(json.loads(http('GET', base + CARD_PATH)[2])).replace(base, '$URL'))


def same(expected, answer):
    assert answer == expected, f'expected {expected}, but was {answer}'


def write(urls):
    """Writes the answers of the agents at these addresses to the file."""
    listed = load()
    cards = [f'    {json.dumps(name)}: {json.dumps(card(url))}' for name, url in urls.items()]
    asked = []
    for probe in listed['probes']:
        headers = f', "headers": {json.dumps(probe["headers"])}' if 'headers' in probe else ''
        answers = ',\n'.join(f'       {json.dumps(name)}: {json.dumps(ask(url + "/", probe))}' for name, url in urls.items())
        asked.append(f'    {{"name": {json.dumps(probe["name"])}{headers},\n     "request": {json.dumps(probe["request"])},\n'
                     f'     "expected": {{\n{answers}}}}}')
    FILE.write_text('{\n  "cards": {\n' + ',\n'.join(cards) + '\n  },\n  "probes": [\n' + ',\n'.join(asked) + '\n  ]\n}\n')
