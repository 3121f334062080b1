/** The tokens of a workspace: `/ui/tokens?ws=…`, and the tab *Tokens* of a workspace. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { action } from '../parts/action.js';
import { age } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl, commandLine } from '../parts/curl.js';
import { confirm, openDialog } from '../parts/dialog.js';
import { moreRows } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { headOf, ofOneWorkspace } from '../parts/workspace-picker.js';
import { inline } from '../text/safe.js';
import { quote } from '../text/shell.js';
import { mayActFor, mayOperate } from './rights.js';
import { connectCommand } from './workspace-head.js';

const WORDS = { title: 'Tokens', text: 'Each workspace has its own tokens. An agent that holds one speaks for that workspace.', path: '/ui/tokens' };

/** @type {import('./rights.js').Page['open']} */
export const open = ofOneWorkspace(WORDS, openTokens);

function openTokens(root, place, context, own, inTab) {
  const { call, session } = context;
  const path = `/workspaces/${encodeURIComponent(own)}/tokens`;
  const mayRead = mayActFor(session, own);
  const tokens = new Loaded(async (signal) => (await call('GET', path, { signal })).tokens, draw);

  async function mint() {
    const mintPath = mayOperate(session) ? `/admin/workspaces/${own}/tokens` : path;
    const minted = await call('POST', mintPath);
    tokens.refresh();
    await showOnce(own, minted.auth_token);
  }

  const revoke = (token) => {
    const one = `${path}/${token.id}`;
    return confirm({
      title: `Revoke the token ${token.prefix}…?`,
      text: html`<p>An agent that uses it stops being heard within 5 seconds: its requests get 401, and its streams close. This cannot be undone,
        but another token can be made.</p>`,
      action: 'Revoke',
      danger: true,
      requests: [{ method: 'DELETE', path: one }],
      run: async () => {
        await call('DELETE', one);
        await tokens.refresh();
      },
    });
  };

  const line = (token) => html`<tr>
      <td data-label="Token"><code>${inline(token.prefix)}…</code></td>
      <td data-label="Made">${age(token.created_at)}</td>
      <td data-label="Last used">${token.last_used_at ? age(token.last_used_at) : html`<span class="meta">never</span>`}</td>
      <td class="actions">${action('Revoke', () => revoke(token))}</td></tr>`;

  const table = (list) => list.length === 0
    ? empty('This workspace has no token: no agent can speak for it.', html`<p>Mint one, and give it to the agent.</p>`)
    : html`<div class="table-frame" tabindex="0" role="region" aria-label="Tokens"><table class="rows">
        <thead><tr>${['Token', 'Made', 'Last used'].map((name) => html`<th scope="col">${name}</th>`)}
          <th scope="col"><span class="off-screen">Actions</span></th></tr></thead>
        <tbody>${repeat(list, (token) => token.id, line)}</tbody></table></div>
      ${moreRows(null, list.length)}`;

  function draw() {
    render(html`${inTab ? nothing : headOf(WORDS, own)}
      ${mayRead
        ? html`<div class="filters">${context.workspace?.removed ? nothing : action('Mint a token', mint, { look: 'main', hint: 'It is shown once' })}</div>
          ${drawn(tokens, table)}
          <footer class="page-foot">${asCurl({ path }, { method: 'POST', path: `/admin/workspaces/${own}/tokens` })}</footer>`
        : empty('Only operators see tokens.', html`<p>Viewers neither list nor make them.</p>`)}`, root);
  }

  draw();
  if (mayRead) {
    tokens.refresh();
  }
  return {
    update() {
      if (mayRead) {
        tokens.refresh();
      }
    },
    close: () => tokens.close(),
  };
}

/**
 * Shows a new token until the dialog closes; nothing keeps it after that.
 *
 * @param {string} id
 * @param {string} token
 */
function showOnce(id, token) {
  const connect = `MUSTER_TOKEN=${quote(token)} ${connectCommand(id)}`;
  return openDialog({
    title: 'The new token',
    wide: true,
    body: (close) => html`<div class="dialog-text">
        <p>It is shown this once. Muster keeps only its hash: copy it now.</p>
        <div class="command secret"><code tabindex="0">${token}</code>${copyButton(token, 'token')}</div>
        <h3>Connect an agent with it</h3>${commandLine(connect, 'connect command')}
      </div><div class="buttons"><button type="button" class="main" @click=${() => close()}>I have copied it</button></div>`,
  });
}
