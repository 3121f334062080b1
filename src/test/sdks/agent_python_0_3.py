"""An agent as the documentation of a2a-sdk 0.3 starts one. Arguments: its port and its url."""

import sys

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, Part, TaskState, TextPart
from a2a.utils import new_agent_text_message, new_task


class Echo(AgentExecutor):
    """Answers with a message; a text that begins with "task" is a task with an artifact."""

    async def execute(self, context, event_queue):
        text = context.get_user_input()
        answer = f'echo of {context.message.message_id}: {text}'
        if not text.startswith('task'):
            await event_queue.enqueue_event(new_agent_text_message(answer))
            return
        task = new_task(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.update_status(TaskState.working)
        await updater.add_artifact([Part(root=TextPart(text=answer))])
        await updater.complete()

    async def cancel(self, context, event_queue):
        raise NotImplementedError


port, url = int(sys.argv[1]), sys.argv[2]
card = AgentCard(
    name='Echo',
    description='Says what it is told',
    url=url,
    version='0.0.1',
    default_input_modes=['text'],
    default_output_modes=['text'],
    capabilities=AgentCapabilities(streaming=True),
    skills=[AgentSkill(id='echo', name='Echo', description='Says what it is told', tags=['echo'])],
)
handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore())
app = A2AStarletteApplication(agent_card=card, http_handler=handler).build()
uvicorn.run(app, host='127.0.0.1', port=port, log_level='warning')
