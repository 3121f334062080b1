/** The tokens of workspaces: `/ui/tokens`, and the tab *Tokens* of a workspace. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { readPages } from '../net/lists.js';
import { action } from '../parts/action.js';
import { age } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl, commandLine } from '../parts/curl.js';
import { confirm, openDialog } from '../parts/dialog.js';
import { choice, moreRows } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { quote } from '../text/shell.js';
import { mayActFor, mayOperate } from './rights.js';
import { connectCommand } from './workspace-head.js';

const PAGE = 100;

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call, navigate, session } = context;
  const own = context.workspace?.id ?? place.query.get('ws');
  const inTab = context.workspace !== undefined;
  const path = own === null ? '/admin/workspace-tokens' : `/workspaces/${encodeURIComponent(own)}/tokens`;
  let query = place.query;
  let most = PAGE;

  const filter = () => own === null
    ? { never_used: query.get('never_used') ?? '', idle_days: query.get('idle_days') ?? '' }
    : {};
  const rows = new Loaded(
    async (signal) => own === null
      ? readPages(call, path, filter(), most, signal)
      : { items: (await call('GET', path, { signal })).tokens, next: null },
    draw);

  const choose = (name, value) => {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    navigate(location.pathname, next);
  };

  async function mint() {
    const mintPath = mayOperate(session) ? `/admin/workspaces/${own}/tokens` : path;
    const minted = await call('POST', mintPath);
    rows.refresh();
    await showOnce(own, minted.auth_token);
  }

  const revoke = (token) => {
    const one = `/workspaces/${token.workspace_id ?? own}/tokens/${token.id}`;
    return confirm({
      title: `Revoke the token ${token.prefix}…?`,
      text: html`<p>An agent that uses it stops being heard within 5 seconds: its requests get 401, and its streams close. This cannot be undone,
        but another token can be made.</p>`,
      action: 'Revoke',
      danger: true,
      requests: [{ method: 'DELETE', path: one }],
      run: async () => {
        await call('DELETE', one);
        await rows.refresh();
      },
    });
  };

  const line = (token) => html`<tr>
      ${own === null ? html`<td data-label="Workspace">${workspaceLink(token.workspace_id)}</td>` : nothing}
      <td data-label="Token"><code>${token.prefix}…</code></td>
      <td data-label="Made">${age(token.created_at)}</td>
      <td data-label="Last used">${token.last_used_at ? age(token.last_used_at) : html`<span class="meta">never</span>`}</td>
      <td class="actions">${action('Revoke', () => revoke(token))}</td></tr>`;

  const table = ({ items, next }) => items.length === 0
    ? empty(own === null ? 'No token matches.' : 'This workspace has no token: no agent can speak for it.',
        own === null ? nothing : html`<p>${mintButton()}</p>`)
    : html`<div class="table-frame" tabindex="0" role="region" aria-label="Tokens"><table class="rows">
        <thead><tr>${own === null ? html`<th scope="col">Workspace</th>` : nothing}
          ${['Token', 'Made', 'Last used'].map((name) => html`<th scope="col">${name}</th>`)}
          <th scope="col"><span class="off-screen">Actions</span></th></tr></thead>
        <tbody>${repeat(items, (token) => token.id, line)}</tbody></table></div>
      ${moreRows(next, items.length, () => { most += PAGE; rows.refresh(); })}`;

  const mintButton = () => action('Mint a token', mint, { look: 'main', hint: 'It is shown once' });

  const mayRead = own === null ? mayOperate(session) : mayActFor(session, own);

  function draw() {
    render(html`${inTab ? nothing : html`<header class="page-head"><h1>Tokens</h1></header>`}
      ${mayRead
        ? html`<div class="filters">${own === null
            ? html`${choice('Used', 'never_used', query.get('never_used') ?? '', [['', 'any'], ['true', 'never']], choose)}
                ${choice('Idle', 'idle_days', query.get('idle_days') ?? '', [['', 'any'], ['7', '7 days'], ['30', '30 days'], ['90', '90 days']], choose)}`
            : mintButton()}</div>
          ${drawn(rows, table)}
          <footer class="page-foot">${asCurl({ path, query: filter() },
            ...(own === null ? [] : [{ method: 'POST', path: `/admin/workspaces/${own}/tokens` }]))}</footer>`
        : empty('Viewers do not see tokens.', html`<p>Sign in as an operator to list, mint and revoke them.</p>`)}`, root);
  }

  draw();
  if (mayRead) {
    rows.refresh();
  }
  return {
    update(next) {
      query = next.query;
      most = PAGE;
      if (mayRead) {
        rows.reset();
      }
    },
    close: () => rows.close(),
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
