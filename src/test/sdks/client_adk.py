"""Sends messages with google-adk's RemoteA2aAgent: one JSON object a line on the standard input, one answer a line."""

import asyncio
import json
import sys
import warnings

warnings.filterwarnings('ignore')

import httpx
from a2a.client import ClientConfig, ClientFactory
from google.adk.agents.remote_a2a_agent import AGENT_CARD_WELL_KNOWN_PATH, RemoteA2aAgent
from google.adk.runners import InMemoryRunner
from google.genai import types


async def send(order):
    async with httpx.AsyncClient(headers={'Authorization': 'Bearer ' + order['token']}, timeout=30) as http:
        factory = ClientFactory(ClientConfig(streaming=order['stream'], httpx_client=http))
        agent = RemoteA2aAgent(name='remote', agent_card=order['url'].rstrip('/') + AGENT_CARD_WELL_KNOWN_PATH,
                               a2a_client_factory=factory)
        runner = InMemoryRunner(agent=agent, app_name='table')
        session = await runner.session_service.create_session(app_name='table', user_id='user')
        content = types.Content(role='user', parts=[types.Part(text=order['text'])])
        said, failed = [], []
        async for event in runner.run_async(user_id='user', session_id=session.id, new_message=content):
            failed += [event.error_message] if event.error_message else []
            said += [part.text or '' for part in (event.content.parts if event.content else None) or []]
        if failed:
            return {'error': '; '.join(failed)}
        return {'text': ''.join(dict.fromkeys(said)), 'state': ''}


for line in sys.stdin:
    try:
        answer = asyncio.run(send(json.loads(line)))
    except Exception as failure:
        answer = {'error': f'{type(failure).__name__}: {failure}'}
    print(json.dumps(answer), flush=True)
