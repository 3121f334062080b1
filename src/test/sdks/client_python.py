"""Sends messages with the client of a2a-sdk 1.x: one JSON object a line on the standard input, one answer a line."""

import asyncio
import json
import sys

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers import get_stream_response_text, new_text_message
from a2a.types import Role, SendMessageRequest, TaskState


async def send(order):
    async with httpx.AsyncClient(headers={'Authorization': 'Bearer ' + order['token']}, timeout=30) as http:
        client = await create_client(order['url'], ClientConfig(streaming=order['stream'], httpx_client=http))
        message = new_text_message(order['text'], role=Role.ROLE_USER)
        message.message_id = order['messageId']
        said, states = [], []
        async for event in client.send_message(SendMessageRequest(message=message)):
            said.append(get_stream_response_text(event))
            for kind in ('task', 'status_update'):
                if event.HasField(kind):
                    states.append(TaskState.Name(getattr(event, kind).status.state))
        return {'text': ''.join(dict.fromkeys(said)), 'state': states[-1] if states else ''}


for line in sys.stdin:
    try:
        answer = asyncio.run(send(json.loads(line)))
    except Exception as failure:
        answer = {'error': f'{type(failure).__name__}: {failure}'}
    print(json.dumps(answer), flush=True)
