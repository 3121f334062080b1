import { open } from '/src/pages/tokens.js';
import { answerOf, changed } from './answers.js';
import { equal, until } from './assert.js';
import { uuid } from './fixtures.js';

/** Opens the tokens of a workspace in a session, and returns the commands below them. */
async function commands(who) {
  const root = document.body.appendChild(document.createElement('main'));
  const [one] = answerOf('listTokens').tokens;
  const context = { call: async () => ({ tokens: [changed(one, { id: uuid(2) })] }), navigate() {}, session: { current: () => who }, workspace: { id: uuid(1) } };
  const handle = open(root, { query: new URLSearchParams() }, context);
  await until(() => root.querySelector('tbody tr'), 'the token');
  handle.close();
  return [...root.querySelectorAll('details.curl code')].map((code) => code.textContent);
}

export async function showsTheRequestThatEachMintsWith() {
  const list = `curl -s $MUSTER/workspaces/${uuid(1)}/tokens -H "$ADMIN"`;
  const mint = (prefix) => `curl -s -X POST $MUSTER${prefix}/workspaces/${uuid(1)}/tokens -H "$ADMIN"`;
  equal(await commands({ role: 'operator' }), [list, mint('/admin')]);
  equal(await commands({ role: 'agent', workspace_id: uuid(1) }), [list, mint('')]);
}
