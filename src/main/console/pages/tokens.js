/** The tokens of agents: of all workspaces (`/ui/tokens`), and of one workspace (its tab *Tokens*). */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { readPages } from '../net/lists.js';
import { action } from '../parts/action.js';
import { age } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl, commandLine } from '../parts/curl.js';
import { confirm, openDialog } from '../parts/dialog.js';
import { choice, moreRows, ofWorkspace } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { inline } from '../text/safe.js';
import { quote } from '../text/shell.js';
import { mayActFor, mayOperate } from './rights.js';
import { connectCommand } from './workspace-head.js';

const PAGE = 100;
const USES = [['', 'any'], ['never', 'never used'], ['7', 'idle for 7 days'], ['30', 'idle for 30 days'],
  ['90', 'idle for 90 days']];

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call, navigate, session } = context;
  const inTab = context.workspace !== undefined;
  let query = place.query;
  let most = PAGE;
  const own = () => inTab ? context.workspace.id : mayOperate(session) ? query.get('ws')
    : session.current()?.workspace_id ?? null;
  const pathOf = (id) => `/workspaces/${encodeURIComponent(id)}/tokens`;
  const path = () => inTab || !mayOperate(session) ? pathOf(own()) : '/admin/workspace-tokens';
  const mayRead = mayOperate(session) || (own() !== null && mayActFor(session, own()));

  const filter = () => {
    const use = query.get('use') ?? '';
    return inTab || !mayOperate(session) ? {}
      : { never_used: use === 'never' ? 'true' : '', idle_days: use === 'never'
        ? '' : use, workspace_id: query.get('ws') ?? '' };
  };
  const tokens = new Loaded(async (signal) => path() === '/admin/workspace-tokens'
    ? readPages(call, path(), filter(), most, signal)
    : { items: (await call('GET', path(), { signal })).tokens, next: null }, draw);

  const set = (name, value) => {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    navigate(location.pathname, next);
  };

  const mintPath = () => mayOperate(session) ? `/admin${pathOf(own())}` : pathOf(own());

  async function mint() {
    const id = own(); // the filter may change during the request
    const minted = await call('POST', mintPath());
    tokens.refresh();
    await showOnce(id, minted.auth_token);
  }

  const revoke = (token) => {
    const one = `${pathOf(token.workspace_id ?? own())}/${token.id}`;
    return confirm({
      title: `Revoke the token ${token.prefix}…?`,
      text: html`<p>An agent that uses it stops being heard within 5 seconds: its requests get 401, and its streams
          close. This cannot be undone,
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
      ${inTab ? nothing : html`<td data-label="Workspace">${workspaceLink(token.workspace_id ?? own())}</td>`}
      <td data-label="Token"><code>${inline(token.prefix)}…</code></td>
      <td data-label="Made">${age(token.created_at)}</td>
      <td data-label="Last used">${token.last_used_at
        ? age(token.last_used_at) : html`<span class="meta">never</span>`}</td>
      <td class="actions">${action('Revoke', () => revoke(token))}</td></tr>`;

  const table = ({ items, next }) => items.length === 0
    ? query.get('use') || own() === null ? empty('No token matches.')
      : empty('This workspace has no token: no agent can speak for it.',
        html`<p>Mint one, and give it to the agent.</p>`)
    : html`<div class="table-frame" tabindex="0" role="region" aria-label="Tokens"><table class="rows">
        <thead><tr>${inTab ? nothing : html`<th scope="col">Workspace</th>`}${['Token', 'Made', 'Last used']
          .map((name) => html`<th scope="col">${name}</th>`)}
          <th scope="col"><span class="off-screen">Actions</span></th></tr></thead>
        <tbody>${repeat(items, (token) => token.id, line)}</tbody></table></div>
      ${moreRows(next, items.length, () => { most += PAGE; tokens.refresh(); })}`;

  const tools = () => html`<div class="filters">${inTab || !mayOperate(session)
    ? nothing : choice('Use', 'use', query.get('use') ?? '', USES, set)}
      ${own() === null ? nothing : action('Mint a token', mint, { look: 'main', hint: 'It is shown once' })}</div>`;

  function draw() {
    render(html`${inTab ? nothing : html`<header class="page-head"><h1>Tokens</h1>${ofWorkspace(query, set)}</header>`}
      ${mayRead
        ? html`${tools()}${drawn(tokens, table)}
          <footer class="page-foot">${asCurl({ path: path(), query: filter() },
            ...(own() === null ? [] : [{ method: 'POST', path: mintPath() }]))}</footer>`
        : empty('Only operators see tokens.', html`<p>Viewers neither list nor make them.</p>`)}`, root);
  }

  draw();
  if (mayRead) {
    tokens.refresh();
  }
  return {
    update(next) {
      query = next.query;
      most = PAGE;
      if (mayRead) {
        tokens.reset();
      }
    },
    close: () => tokens.close(),
  };
}

/**
 * Shows a new token until the dialog closes. It is not stored.
 *
 * @param {string} id of the workspace
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
      </div><div class="buttons"><button type="button" class="main"
          @click=${() => close()}>I have copied it</button></div>`,
  });
}
