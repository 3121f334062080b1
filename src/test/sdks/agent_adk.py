"""An agent as the documentation of google-adk exposes one. It needs no model. Arguments: its port and its url's port."""

import sys
import warnings

warnings.filterwarnings('ignore')

import uvicorn
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import BaseAgent
from google.adk.events import Event
from google.genai import types


class Echo(BaseAgent):
    async def _run_async_impl(self, ctx):
        text = ''.join(part.text or '' for part in ctx.user_content.parts)
        content = types.Content(role='model', parts=[types.Part(text=f'echo: {text}')])
        yield Event(author=self.name, invocation_id=ctx.invocation_id, content=content)


app = to_a2a(Echo(name='echo', description='Says what it is told'), host='127.0.0.1', port=int(sys.argv[2]))
uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]), log_level='warning')
