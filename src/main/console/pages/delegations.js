/** The delegations of all workspaces (`/ui/delegations`), and those of one workspace (its tab *Delegations*). */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { readPages } from '../net/lists.js';
import { action } from '../parts/action.js';
import { age, until } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl } from '../parts/curl.js';
import { choice, moreRows, ofWorkspace } from '../parts/filters.js';
import { Loaded, drawn, empty, problem } from '../parts/loaded.js';
import { stateWord } from '../parts/state-word.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { block, inline } from '../text/safe.js';
import { failDelegation, retryDelegation } from './delegation-actions.js';
import { mayOperate } from './rights.js';

const PAGE = 100;
const EVERY_MS = 10_000;
const OF_ALL = [['', 'in flight'], 'stuck', 'failed', 'completed'];
const OF_ONE = [['', 'all'], 'queued', 'dispatched', 'in_progress', 'stuck', 'completed', 'failed'];
const MAY_RETRY = new Set(['stuck', 'dispatched']);
const ENDED = new Set(['completed', 'failed']);

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call, navigate } = context;
  const own = context.workspace?.id ?? null;
  const path = own === null ? '/admin/delegations' : `/workspaces/${own}/delegations`;
  let query = place.query;
  let most = PAGE;
  let graph = null;
  const opened = new Map();

  const filter = () => own === null
    ? { status: query.get('status') ?? '', workspace_id: query.get('ws') ?? '' }
    : { status: query.get('status') ?? '', direction: query.get('direction') ?? '' };
  const rows = new Loaded((signal) => readPages(call, path, filter(), most, signal), draw).every(EVERY_MS);
  const stats = new Loaded((signal) => call('GET', '/admin/delegations/stats', { signal }), draw);
  if (own === null) {
    stats.every(EVERY_MS);
  }

  const choose = (name, value) => {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    navigate(location.pathname, next);
  };

  async function again() {
    await Promise.all([rows.refresh(), own === null ? stats.refresh() : null, graph?.refresh()]);
  }

  const retry = (id) => retryDelegation(call, id).then(again);
  const fail = (id) => failDelegation(call, id).then((done) => done === undefined ? undefined : again());

  async function toggle(row) {
    const id = row.delegation_id;
    if (opened.delete(id)) {
      draw();
      return;
    }
    opened.set(id, null);
    draw();
    try {
      opened.set(id, await call('GET', whole(row)));
    } catch (failure) {
      opened.set(id, { failure });
    }
    draw();
  }

  const whole = (row) => `/workspaces/${callerOf(row)}/delegations/${encodeURIComponent(row.delegation_id)}`;

  const actions = (row) => mayOperate(context.session) && !ENDED.has(row.status)
    ? html`${MAY_RETRY.has(row.status)
      ? action('Retry', () => retry(row.delegation_id), { hint: 'Sends it again, under the next attempt' }) : nothing}
        ${action('Fail…', () => fail(row.delegation_id))}`
    : nothing;

  const line = (row) => html`<tr class=${opened.has(row.delegation_id) ? 'opened' : ''}>
      <td data-label="Status"><button type="button" class="disclose" aria-expanded=${opened.has(row.delegation_id)}
        @click=${() => toggle(row)}>${stateWord(row.status)}</button></td>
      <td data-label="Task" class="wide">${inline(row.task_preview ?? row.summary, { empty: 'no text' })}</td>
      <td data-label="From">${workspaceLink(callerOf(row))}</td>
      <td data-label="To">${workspaceLink(calleeOf(row))}</td>
      <td data-label="Heard">${row.last_heartbeat
        ? age(row.last_heartbeat) : html`<span class="meta">not yet</span>`}</td>
      <td data-label="Deadline">${ENDED.has(row.status) ? html`ended ${age(row.updated_at)}` : until(row.deadline)}</td>
      <td data-label="Outcome" class="wide">${outcome(row)}</td>
      <td class="actions"><a href="/ui/trace/${encodeURIComponent(row.delegation_id)}">Trace</a> ${actions(row)}</td>
    </tr>
    ${opened.has(row.delegation_id) ? detail(row, opened.get(row.delegation_id)) : nothing}`;

  const outcome = (row) => row.error_detail
    ? html`${row.error_kind ? html`<b>${inline(row.error_kind)}</b> ` : nothing}${inline(row.error_detail)}`
    : inline(row.result_preview ?? row.response_preview ?? '', { empty: '–' });

  const detail = (row, found) => html`<tr class="detail"><td colspan="8">
      <dl class="facts-line"><div><dt>delegation</dt>
          <dd><code>${inline(row.delegation_id)}</code>${copyButton(row.delegation_id, 'delegation id')}</dd></div>
        <div><dt>made</dt><dd>${age(row.created_at)}</dd></div>
        ${own === null ? html`<div><dt>only with</dt><dd>${[callerOf(row), calleeOf(row)]
          .map((id, i) => html`<button type="button" class="quiet small"
          aria-label=${i === 0 ? 'only with its caller' : 'only with its callee'}
          @click=${() => choose('ws', id)}>${i === 0 ? 'its caller' : 'its callee'}</button>`)}</dd></div>` : nothing}
        ${found?.attempt === undefined ? nothing : html`<div><dt>attempt</dt><dd>${found.attempt}</dd></div>`}</dl>
      ${found === null ? html`<p class="loading" role="status">Loading …</p>`
        : found.failure ? problem(found.failure)
          : html`<h3>Task</h3>${block(found.task || 'no text')}
            ${found.result ? html`<h3>Result</h3>${block(found.result)}` : nothing}
            ${found.error_detail ? html`<h3>Error</h3>${block(found.error_detail)}` : nothing}`}
      ${asCurl({ path: whole(row) })}</td></tr>`;

  const table = ({ items, next }) => items.length === 0
    ? none()
    : html`<div class="table-frame" tabindex="0" role="region" aria-label="Delegations"><table class="rows">
        <thead><tr>${['Status', 'Task', 'From', 'To', 'Heard', 'Deadline', 'Outcome']
          .map((name) => html`<th scope="col">${name}</th>`)}
          <th scope="col"><span class="off-screen">Actions</span></th></tr></thead>
        <tbody>${repeat(items, (row) => row.delegation_id, line)}</tbody></table></div>
      ${moreRows(next, items.length, () => { most += PAGE; rows.refresh(); })}`;

  const none = () => empty(
    filter().status || filter().direction || filter().workspace_id
      ? 'No delegation matches.' : 'No delegation is in flight.',
    html`<p>An agent delegates a task with one request, and gets the end of it exactly once:</p>`,
    asCurl({ method: 'POST', path: `/workspaces/${own ?? '$CALLER'}/delegate`,
      body: { target_id: '$CALLEE', task: 'review PR 42' } }));

  const counts = (found) => html`<p class="totals"><span><b>${inFlight(found)}</b> in flight</span>
      ${['stuck', 'failed', 'completed']
        .map((status) => html`<span class=${found[status] ? '' : 'soft'}>${found[status]
          ? stateWord(status) : status} <b>${(found[status] ?? 0).toLocaleString('en')}</b></span>`)}
      <span class="meta">failed and completed: as far back as they are kept</span></p>`;

  async function openGraph() {
    const { graphOf } = await import('./delegation-graph.js');
    graph = graphOf(context, () => query, { draw, retry, fail });
    graph.refresh();
  }

  const views = () => html`<nav class="views" aria-label="Views">${[['list', 'List'], ['graph', 'Graph']]
    .map(([value, words]) => html`
      <a href="?${withView(query, value)}"
          aria-current=${(query.get('view') ?? 'list') === value ? 'page' : nothing}>${words}</a>`)}</nav>`;

  function draw() {
    const isGraph = own === null && query.get('view') === 'graph';
    if (isGraph && graph === null) {
      graph = undefined;
      openGraph();
    }
    render(html`${own === null
      ? html`<header class="page-head"><h1>Delegations</h1>${drawn(stats, counts)}${views()}</header>` : nothing}
      ${isGraph ? graph?.view() ?? nothing : html`
        <div class="filters">${choice('Status', 'status', query.get('status') ?? '', own === null
          ? OF_ALL : OF_ONE, choose)}
          ${own === null ? nothing : choice('Direction', 'direction', query.get('direction') ?? '',
            [['', 'both'], ['received', 'in'], ['sent', 'out']], choose)}
          ${own === null ? ofWorkspace(query, choose) : nothing}</div>
        ${drawn(rows, table)}
        <footer class="page-foot">${asCurl({ path, query: filter() })}</footer>`}`, root);
  }

  draw();
  again();
  const unsubscribe = own === null ? context.stream.subscribe(({ events }) =>
    events.some((event) => String(event.e).startsWith('DELEGATION_'))
      && (rows.soon(1000), stats.soon(1000), graph?.soon())) : null;
  return {
    update(next) {
      query = next.query;
      most = PAGE;
      rows.reset();
      graph?.refresh();
    },
    event: (frame) => frame.event.startsWith('DELEGATION_') && rows.soon(),
    close() {
      unsubscribe?.();
      rows.close();
      stats.close();
      graph?.close();
    },
  };
}

const callerOf = (row) => row.caller_id ?? row.source_id;
const calleeOf = (row) => row.callee_id ?? row.target_id;
const inFlight = (found) => ['queued', 'dispatched', 'in_progress', 'stuck']
  .reduce((sum, status) => sum + (found[status] ?? 0), 0);

function withView(query, view) {
  const next = new URLSearchParams(query);
  view === 'list' ? next.delete('view') : next.set('view', view);
  return next.toString();
}
