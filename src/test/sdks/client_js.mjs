// Sends messages with the client of @a2a-js/sdk: one JSON object a line on the standard input, one answer a line.
import { createInterface } from 'node:readline';
import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

const textOf = (parts) => (parts ?? []).map((part) => (part.content?.$case === 'text' ? part.content.value : '')).join('');

async function send({ url, token, stream, messageId, text }) {
  const fetchImpl = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), Authorization: `Bearer ${token}` } });
  // The option for agents of 0.3, as the guide of the SDK says.
  const legacyCompat = { enabled: true };
  const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
  }));
  const client = await factory.createFromUrl(url);
  const params = {
    tenant: '', metadata: {}, configuration: undefined,
    message: { messageId, role: Role.ROLE_USER, contextId: '', taskId: '', extensions: [], metadata: {}, referenceTaskIds: [],
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }] },
  };
  const said = new Set();
  let state = '';
  const take = (kind, value) => {
    if (kind === 'message') said.add(textOf(value.parts));
    if (kind === 'task') (value.artifacts ?? []).forEach((one) => said.add(textOf(one.parts)));
    if (kind === 'artifactUpdate') said.add(textOf(value.artifact?.parts));
    if (value.status) state = TaskState[value.status.state];
  };
  if (stream) {
    for await (const event of client.sendMessageStream(params)) take(event.payload.$case, event.payload.value);
  } else {
    const result = await client.sendMessage(params);
    take('role' in result ? 'message' : 'task', result);
  }
  return { text: [...said].join(''), state };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = await send(JSON.parse(line));
  } catch (failure) {
    answer = { error: `${failure.name}: ${failure.message}` };
  }
  console.log(JSON.stringify(answer));
}
