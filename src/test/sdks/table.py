"""The table of agents and paths, with the official SDKs: each row is a path to an agent, with what arrives and what its sender gets.

It starts the agents, compares their answers with probes.json, registers them with the cards that they serve, and sends messages to
them through the server that is given, with the clients of the SDKs and as the server itself sends them. --update-probes writes the
answers to probes.json instead.
"""

import argparse
import concurrent.futures
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid

import probes

HERE = pathlib.Path(__file__).parent
LIMIT_S = 30
STARTED_IN_S = 60

# The versions on an agent's card, newest first, and whether it says the id of the message in its answer.
AGENTS = {
    'python': dict(program='agent_python.py', versions=['1.0'], says_id=True),
    'python with 0.3': dict(program='agent_python.py', more=['0.3'], versions=['1.0', '0.3'], says_id=True),
    'python 0.3': dict(program='agent_python_0_3.py', versions=['0.3'], says_id=True),
    'javascript': dict(program='agent_js.mjs', versions=['1.0'], says_id=True),
    'adk': dict(program='agent_adk.py', versions=['1.0'], says_id=False),
}
# Versions that a client speaks, and whether its messages get the id that is given and it tells the state of a task.
CLIENTS = {
    'python': dict(program='client_python.py', speaks=['1.0', '0.3'], is_open=True),
    'python 0.3': dict(program='client_python_0_3.py', speaks=['0.3'], is_open=True),
    'javascript': dict(program='client_js.mjs', speaks=['1.0', '0.3'], is_open=True),
    'adk': dict(program='client_adk.py', speaks=['1.0', '0.3'], is_open=False),
}


def command(program, sdks):
    if program.endswith('.mjs'):
        return ['node', str(sdks / 'js' / program)]
    return [str(sdks / ('0.3' if '0_3' in program else '1.x') / 'bin/python'), str(HERE / program)]


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


def until(what, condition, limit_s=LIMIT_S):
    """Waits until the condition is true, and returns its value."""
    end = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < end, f'not {what() if callable(what) else what} (after {limit_s} s)'
        time.sleep(0.05)
    return value


class Relay:
    """The reverse proxy before an agent: keeps each request and its answer, and answers 502 while it is told to."""

    def __init__(self, port):
        self.seen = []
        self.broken_until = 0.0
        relay = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.pass_on(b'')

            def do_POST(self):
                self.pass_on(self.rfile.read(int(self.headers.get('Content-Length', 0))))

            def pass_on(self, body):
                if time.monotonic() < relay.broken_until:
                    status, headers, text = 502, {'Content-Type': 'text/html'}, b'<html><h1>502 Bad Gateway</h1></html>'
                else:
                    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=LIMIT_S)
                    sent = {name: value for name, value in self.headers.items() if name.lower() not in ('host', 'connection')}
                    connection.request(self.command, self.path, body or None, sent)
                    answer = connection.getresponse()
                    status, headers, text = answer.status, {'Content-Type': answer.headers.get('Content-Type', '')}, answer.read()
                    connection.close()
                if self.command == 'POST':
                    relay.seen.append((dict((n.lower(), v) for n, v in self.headers.items()), body.decode(), status, text.decode()))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header('Content-Length', str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.url = f'http://127.0.0.1:{self.server.server_address[1]}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Agent:
    """The agent of an SDK behind its relay."""

    def __init__(self, name, sdks, work):
        self.name = name
        self.versions, self.says_id = AGENTS[name]['versions'], AGENTS[name]['says_id']
        self.port = free_port()
        self.relay = Relay(self.port)
        program = AGENTS[name]['program']
        url = self.relay.url.rsplit(':', 1)[1] if program == 'agent_adk.py' else self.relay.url + '/'
        self.log = work / f'agent {name}.log'
        self.process = subprocess.Popen([*command(program, sdks), str(self.port), url, *AGENTS[name].get('more', [])],
                                        stdout=self.log.open('w'), stderr=subprocess.STDOUT)

    def await_start(self):
        def answers():
            assert self.process.poll() is None, f'the agent {self.name} has ended: ' + self.log.read_text()[-2000:]
            with contextlib.suppress(OSError, ValueError):
                return probes.http('GET', f'http://127.0.0.1:{self.port}{probes.CARD_PATH}')[0] == 200

        until(f'{self.name} started', answers, STARTED_IN_S)
        self.card = json.loads(probes.http('GET', self.relay.url + probes.CARD_PATH)[2])

    def taken(self):
        """The messages that it took: version, id, text and header."""
        taken = []
        for headers, body, status, answer in list(self.relay.seen):
            request = json.loads(body)
            message = request.get('params', {}).get('message', {})
            if status == 200 and '"error"' not in answer and message:
                version = '1.0' if request['method'][0].isupper() else '0.3'
                taken.append((version, message['messageId'], ''.join(probes.texts(message)), headers.get('a2a-version', '')))
        return taken

    def took(self, text):
        """Waits for this text, and returns the id of its message. It has to be taken once, in a version on the card, with that header."""
        until(lambda: f'taken; what came: {self.seen(text)}', lambda: any(text in one[2] for one in self.taken()))
        taken = [one for one in self.taken() if text in one[2]]
        assert len(taken) == 1, f'taken {len(taken)} times'
        version, message_id, _, header = taken[0]
        assert version in self.versions, f'taken in {version}'
        assert header == version or (header == '' and version == '0.3'), f'version {version} with the header "{header}"'
        return message_id

    def seen(self, text):
        """What came about this text, for failures."""
        return [(json.loads(body).get('method'), headers.get('a2a-version', 'no version'), status, answer[:150])
                for headers, body, status, answer in self.relay.seen if text in body]


class Client:
    """A process that sends messages with the client of an SDK."""

    def __init__(self, name, sdks, work):
        self.name = name
        self.speaks, self.is_open = CLIENTS[name]['speaks'], CLIENTS[name]['is_open']
        self.log = work / f'client {name}.log'
        self.process = subprocess.Popen(command(CLIENTS[name]['program'], sdks), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log.open('w'), text=True)
        self.lock = threading.Lock()

    def send(self, url, token, text, stream=False, message_id=None):
        order = dict(url=url, token=token, stream=stream, messageId=message_id or f'm-{uuid.uuid4()}', text=text)
        with self.lock:
            self.process.stdin.write(json.dumps(order) + '\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        assert line, f'the client {self.name} has ended: ' + self.log.read_text()[-2000:]
        return json.loads(line)


class Muster:
    def __init__(self, url, admin):
        self.url, self.admin = url, admin

    def call(self, method, path, token=None, body=None, expected=(200, 201, 202), headers=None):
        sent = {'Authorization': 'Bearer ' + (token or self.admin), 'Content-Type': 'application/json', **(headers or {})}
        status, _, text = probes.http(method, self.url + path, None if body is None else json.dumps(body), sent, timeout=90)
        assert status in expected, f'{method} {path}: {status} {text[:300]}'
        return json.loads(text) if text else None

    def workspace(self, name, parent, **fields):
        return self.call('POST', '/workspaces', body=dict(name=name, parent_id=parent, **fields))

    def heartbeat(self, workspace, active=0):
        self.call('POST', '/registry/heartbeat', workspace['auth_token'], dict(workspace_id=workspace['id'], active_tasks=active))

    def base(self, workspace):
        """The address whose card clients read; it ends with a slash, because clients resolve the path of the card against it."""
        return f'{self.url}/workspaces/{workspace["id"]}/'


class Table:
    def __init__(self):
        self.rows = []
        self.lock = threading.Lock()

    def cell(self, path, agent, sender, work):
        begin = time.monotonic()
        try:
            verdict, why = 'pass', work() or ''
        except Exception as failure:
            verdict, why = 'FAIL', f'{type(failure).__name__}: {failure}' if not isinstance(failure, AssertionError) else str(failure)
        with self.lock:
            self.rows.append((path, agent, sender, verdict, why, time.monotonic() - begin))

    def show(self):
        for path, agent, sender, verdict, why, seconds in self.rows:
            print(f'{verdict:4}  {path:32} {agent:16} {sender:12} {seconds:5.1f} s  {" ".join(why.split())[:300]}')
        failed = sum(row[3] == 'FAIL' for row in self.rows)
        print(f'\n{len(self.rows)} cells, {failed} failed')
        return failed


def registered(muster, team, agent, name, **fields):
    """A workspace of the agent, as its author registers it: made by its name, then registered with the card that the agent serves."""
    workspace = muster.workspace(name, team['id'], **fields)
    body = dict(id=workspace['id'], agent_card=agent.card)
    muster.call('POST', '/registry/register', workspace['auth_token'], body)
    return workspace


def answered(agent, message_id, text, answer):
    assert 'error' not in answer, answer['error'][:400]
    expected = f'echo of {message_id}: {text}' if agent.says_id else f'echo: {text}'
    assert answer['text'] == expected, f'the sender got {answer}'


def paths_of(muster, team, table, agent, clients):
    """All cells of one agent, one after the other, since they count what it takes."""
    unique = lambda: f'{uuid.uuid4()}'[:8]
    usable = [client for client in clients if set(client.speaks) & set(agent.versions)]

    def cell(path, work, sender='server'):
        table.cell(path, agent.name, sender, work)

    box = {}

    def register():
        box['it'] = registered(muster, team, agent, f'Agent {agent.name}', max_concurrent_tasks=1)
        read = muster.call('GET', f'/workspaces/{box["it"]["id"]}')
        assert read['delivery_mode'] == 'push', f'its delivery mode is {read["delivery_mode"]}'
        assert read['url'].rstrip('/') == agent.relay.url, f'its url is "{read["url"]}"'

    cell('registered with its card', register)
    workspace = box['it']
    if muster.call('GET', f'/workspaces/{workspace["id"]}')['delivery_mode'] != 'push':
        muster.call('POST', '/registry/register', workspace['auth_token'],
                    dict(id=workspace['id'], agent_card=agent.card, delivery_mode='push', url=agent.relay.url + '/'))
    peer = muster.workspace(f'Peer of {agent.name}', team['id'], delivery_mode='poll')
    muster.heartbeat(peer)

    for client in usable:
        for stream in (False, True):
            def send(client=client, stream=stream):
                text = f'task {unique()}' if stream else f'hello {unique()}'
                answer = client.send(muster.base(workspace), peer['auth_token'], text, stream)
                assert 'error' not in answer, answer['error']
                answered(agent, agent.took(text), text, answer)

            cell('stream' if stream else 'direct message', send, client.name)

        def repeat(client=client):
            text, message_id = f'hello {unique()}', f'm-{uuid.uuid4()}'
            answers = [client.send(muster.base(workspace), peer['auth_token'], text, message_id=message_id) for _ in range(2)]
            for answer in answers:
                answered(agent, message_id, text, answer)
            assert sum(text in one[2] for one in agent.taken()) == 1, 'taken twice'

        if client.is_open:
            cell('repeated message', repeat, client.name)

        def wait_in_queue(client=client):
            text = f'hello {unique()}'
            muster.heartbeat(workspace, active=1)
            answer = client.send(muster.base(workspace), peer['auth_token'], text)
            assert not agent.seen(text), 'it was sent to a busy agent'
            muster.heartbeat(workspace)
            agent.took(text)
            if '1.0' in client.speaks and agent.versions[0] == '1.0' and client.is_open:
                assert answer.get('state') == 'TASK_STATE_SUBMITTED', f'the sender got {answer}'

        cell('queued message', wait_in_queue, client.name)

    sender = usable[0]

    def retry():
        text = f'hello {unique()}'
        muster.heartbeat(workspace, active=1)
        sender.send(muster.base(workspace), peer['auth_token'], text)
        waiting = muster.call('GET', f'/admin/a2a-queue?state=waiting&target_id={workspace["id"]}')
        assert len(waiting) == 1, f'{len(waiting)} messages wait'
        queue_id = waiting[0]['queue_id']
        agent.relay.broken_until = time.monotonic() + LIMIT_S
        muster.heartbeat(workspace)
        until('tried', lambda: agent.seen(text))
        state = lambda: muster.call('GET', f'/workspaces/{workspace["id"]}/a2a/queue/{queue_id}')['state']
        after = until('waiting again', lambda: one if (one := state()) != 'delivering' else None)
        assert after == 'waiting', f'after a 502 it is {after}'
        agent.relay.broken_until = 0.0
        muster.call('POST', f'/admin/a2a-queue/{queue_id}/retry')
        agent.took(text)

    cell("operator's retry after a 502", retry, sender.name)

    def change_mode():
        text = f'hello {unique()}'
        muster.heartbeat(workspace, active=1)
        sender.send(muster.base(workspace), peer['auth_token'], text)
        for mode in (dict(delivery_mode='poll'), dict(delivery_mode='push', url=agent.relay.url + '/')):
            muster.call('PATCH', f'/workspaces/{workspace["id"]}', body=mode)
        muster.heartbeat(workspace)
        agent.took(text)

    cell('change of mode while it waits', change_mode, sender.name)

    def read_by_polling():
        text = f'hello {unique()}'
        polling = muster.workspace(f'Polling {agent.name}', team['id'], delivery_mode='poll')
        muster.call('POST', '/registry/register', polling['auth_token'],
                    dict(id=polling['id'], agent_card=agent.card, delivery_mode='poll'))
        answer = sender.send(muster.base(polling), peer['auth_token'], text)
        rows = muster.call('GET', f'/workspaces/{polling["id"]}/activity?type=a2a_receive', polling['auth_token'])
        assert sum(text in json.dumps(row) for row in rows) == 1, 'it is not in the feed once'
        assert answer.get('state') == 'TASK_STATE_SUBMITTED', f'the sender got {answer}'

    if '1.0' in sender.speaks and agent.versions[0] == '1.0':
        cell('message to the same, polling', read_by_polling, sender.name)

    def delegated(text, expected_state='completed'):
        delegation = muster.call('POST', f'/workspaces/{peer["id"]}/delegate', peer['auth_token'],
                                 dict(target_id=workspace['id'], task=text))['delegation_id']
        read = lambda: muster.call('GET', f'/workspaces/{peer["id"]}/delegations/{delegation}?wait=5', peer['auth_token'])
        end = until('ended', lambda: one if (one := read())['status'] in ('completed', 'failed') else None)
        assert end['status'] == expected_state, f'{end["status"]}: {end.get("error_detail")}; seen {agent.seen(text)}'
        agent.took(text)
        expected = f'echo of {delegation}: {text}' if agent.says_id else f'echo: {text}'
        assert end['result'] == expected, f'its result is {end["result"]}'

    cell('delegation, answered by a message', lambda: delegated(f'hello {unique()}'))
    cell('delegation, answered by a task', lambda: delegated(f'task {unique()}'))

    def behind_502():
        agent.relay.broken_until = time.monotonic() + 10
        delegated(f'hello {unique()}')

    if agent.name in ('python', 'python 0.3'):
        cell('delegation, 502 for ten seconds', behind_502)

    def result_to_caller(broken_s=0):
        text = f'result {unique()}'
        delegation = muster.call('POST', f'/workspaces/{workspace["id"]}/delegate', workspace['auth_token'],
                                 dict(target_id=peer['id'], task='work'))['delegation_id']
        agent.relay.broken_until = time.monotonic() + broken_s
        muster.call('POST', f'/workspaces/{peer["id"]}/delegations/{delegation}/update', peer['auth_token'],
                    dict(status='completed', result=text))
        assert agent.took(text) == f'{delegation}:result'

    def direct_behind_502():
        text, message_id = f'hello {unique()}', f'm-{uuid.uuid4()}'
        agent.relay.broken_until = time.monotonic() + LIMIT_S
        refused = sender.send(muster.base(workspace), peer['auth_token'], text, message_id=message_id)
        assert 'error' in refused, f'the sender got {refused}'
        agent.relay.broken_until = 0.0
        answered(agent, message_id, text, sender.send(muster.base(workspace), peer['auth_token'], text, message_id=message_id))
        agent.took(text)

    cell('direct message, again after a 502', direct_behind_502, sender.name)
    cell('result to a push caller', result_to_caller)
    if agent.name in ('python', 'python 0.3'):
        cell('result, 502 for ten seconds', lambda: result_to_caller(10))

    def by_a_person():
        text, message_id = f'hello {unique()}', f'm-{uuid.uuid4()}'
        message = dict(role='user', messageId=message_id, parts=[dict(kind='text', text=text)])
        answer = muster.call('POST', f'/workspaces/{workspace["id"]}/a2a',
                             body=dict(jsonrpc='2.0', id=message_id, method='message/send', params=dict(message=message)))
        assert 'error' not in answer, f'{answer["error"]}; seen {agent.seen(text)}'
        assert agent.took(text) == message_id

    cell('console message, of the chat', by_a_person)

    def to_many():
        text = f'hello {unique()}'
        muster.call('POST', '/admin/bulk', body=dict(action='message', ids=[workspace['id']], text=text, expect_count=1))
        agent.took(text)

    cell('console message, to many', to_many)


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--sdks', type=pathlib.Path, required=True)
    options.add_argument('--work', type=pathlib.Path, required=True)
    options.add_argument('--muster', required=True)
    options.add_argument('--update-probes', action='store_true')
    given = options.parse_args()
    agents, clients = [], []
    try:
        agents = [Agent(name, given.sdks, given.work) for name in AGENTS]
        clients = [Client(name, given.sdks, given.work) for name in CLIENTS]
        for agent in agents:
            agent.await_start()
        if given.update_probes:
            probes.write({agent.name: agent.relay.url for agent in agents})
            return
        table = Table()
        listed = probes.load()
        for agent in agents:
            table.cell('its card', agent.name, '', lambda: probes.same(listed['cards'][agent.name], probes.card(agent.relay.url)))
            for probe in listed['probes']:
                table.cell('probe: ' + probe['name'], agent.name, '', lambda: probes.same(
                    probe['expected'][agent.name], probes.ask(agent.relay.url + '/', probe)))
            agent.relay.seen.clear()
        passed = [row for row in table.rows if row[3] == 'pass']
        print(f'{len(passed)} of {len(table.rows)} answers are those of probes.json')
        table.rows = [row for row in table.rows if row[3] != 'pass']
        muster = Muster(given.muster, os.environ['MUSTER_ADMIN'])
        team = muster.workspace('Team', None)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda agent: paths_of(muster, team, table, agent, clients), agents))
        sys.exit(1 if table.show() else 0)
    finally:
        for one in agents + clients:
            one.process.terminate()
        for one in agents + clients:
            one.process.wait()


if __name__ == '__main__':
    main()
