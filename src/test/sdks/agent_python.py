"""An agent as the documentation of a2a-sdk 1.x starts one. Arguments: its port, its url, and "0.3" to enable that version too."""

import sys

import uvicorn
from a2a.helpers import get_message_text, new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TaskState
from starlette.applications import Starlette


class Echo(AgentExecutor):
    """Answers with a message; a text that begins with "task" is a task with an artifact."""

    async def execute(self, context, event_queue):
        text = get_message_text(context.message)
        answer = f'echo of {context.message.message_id}: {text}'
        if not text.startswith('task'):
            await event_queue.enqueue_event(new_text_message(answer))
            return
        task = new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue=event_queue, task_id=task.id, context_id=task.context_id)
        await updater.update_status(state=TaskState.TASK_STATE_WORKING)
        await updater.add_artifact(parts=[new_text_part(text=answer)])
        await updater.update_status(state=TaskState.TASK_STATE_COMPLETED)

    async def cancel(self, context, event_queue):
        raise NotImplementedError


port, url, with_0_3 = int(sys.argv[1]), sys.argv[2], '0.3' in sys.argv[3:]
card = AgentCard(
    name='Echo',
    description='Says what it is told',
    version='0.0.1',
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    capabilities=AgentCapabilities(streaming=True),
    supported_interfaces=[
        AgentInterface(protocol_binding='JSONRPC', url=url, protocol_version=version)
        for version in (['1.0', '0.3'] if with_0_3 else ['1.0'])
    ],
    skills=[AgentSkill(id='echo', name='Echo', description='Says what it is told', tags=['echo'])],
)
handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
routes = create_agent_card_routes(card) + create_jsonrpc_routes(handler, '/', enable_v0_3_compat=with_0_3)
uvicorn.run(Starlette(routes=routes), host='127.0.0.1', port=port, log_level='warning')
