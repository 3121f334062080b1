"""Sends messages with the client of a2a-sdk 0.3: one JSON object a line on the standard input, one answer a line."""

import asyncio
import json
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, TextPart
from a2a.utils import get_message_text
from a2a.utils.artifact import get_artifact_text


async def send(order):
    async with httpx.AsyncClient(headers={'Authorization': 'Bearer ' + order['token']}, timeout=30) as http:
        config = ClientConfig(streaming=order['stream'], httpx_client=http)
        client = await ClientFactory.connect(order['url'], config)
        message = Message(message_id=order['messageId'], role=Role.user, parts=[Part(root=TextPart(text=order['text']))])
        text, state = '', ''
        async for event in client.send_message(message):
            if isinstance(event, Message):
                text = get_message_text(event)
            else:
                task = event[0]
                text, state = ''.join(get_artifact_text(one) for one in task.artifacts or []), task.status.state.value
        return {'text': text, 'state': state}


for line in sys.stdin:
    try:
        answer = asyncio.run(send(json.loads(line)))
    except Exception as failure:
        answer = {'error': f'{type(failure).__name__}: {failure}'}
    print(json.dumps(answer), flush=True)
