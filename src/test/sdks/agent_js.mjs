// An agent as the documentation of @a2a-js/sdk starts one. Arguments: its port and its url.
import express from 'express';
import { A2A_PROTOCOL_VERSION, AGENT_CARD_PATH, Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';

const [port, url] = process.argv.slice(2);

const textPart = (value) => ({ content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' });

// Answers with a message; a text that begins with "task" is a task with an artifact.
class Echo {
  cancelTask = async () => {};

  async execute({ userMessage, taskId, contextId }, bus) {
    const text = userMessage.parts.map((part) => (part.content?.$case === 'text' ? part.content.value : '')).join('');
    const parts = [textPart(`echo of ${userMessage.messageId}: ${text}`)];
    if (text.startsWith('task')) {
      const status = (state) => ({ state, timestamp: new Date().toISOString(), message: undefined });
      bus.publish(AgentEvent.task({ id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED), artifacts: [],
        history: [userMessage], metadata: {} }));
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, append: false, lastChunk: true, metadata: {},
        artifact: { artifactId: crypto.randomUUID(), name: 'answer', description: '', parts, metadata: {}, extensions: [] } }));
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(TaskState.TASK_STATE_COMPLETED), metadata: {} }));
    } else {
      bus.publish(AgentEvent.message({ messageId: crypto.randomUUID(), role: Role.ROLE_AGENT, parts, contextId, taskId: '',
        extensions: [], metadata: {}, referenceTaskIds: [] }));
    }
    bus.finished();
  }
}

const card = {
  name: 'Echo',
  description: 'Says what it is told',
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: A2A_PROTOCOL_VERSION }],
  provider: undefined,
  version: '1.0.0',
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text'],
  defaultOutputModes: ['text'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Says what it is told', tags: ['echo'], examples: [], inputModes: ['text'],
    outputModes: ['text'], securityRequirements: [] }],
  documentationUrl: '',
  signatures: [],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Echo());
const app = express();
app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
app.use(jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
app.listen(Number(port), '127.0.0.1');
