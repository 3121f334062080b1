/** The queue of messages for push agents: of all workspaces (`/ui/queue`), and of one workspace (its tab *Queue*). */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { now } from '../net/clock.js';
import { readPages } from '../net/lists.js';
import { action } from '../parts/action.js';
import { age, until } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl } from '../parts/curl.js';
import { confirm } from '../parts/dialog.js';
import { choice, moreRows } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { stateWord } from '../parts/state-word.js';
import { statusWord } from '../parts/status-mark.js';
import { toast } from '../parts/toast.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { duration } from '../text/time.js';
import { block, inline } from '../text/safe.js';
import { mayOperate } from './rights.js';

const PAGE = 100;
const EVERY_MS = 5000;
const STATES = ['waiting', 'delivering', 'delivered', 'failed', 'expired', 'dropped'];
const KINDS = ['message', 'delegation', 'result'];
const OPEN = new Set(['waiting', 'delivering']);
const UNDELIVERED = new Set(['failed', 'expired', 'dropped']);

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call, navigate } = context;
  const own = context.workspace?.id ?? null;
  let query = place.query;
  let most = PAGE;
  const texts = new Map();

  const filter = () => ({
    state: query.get('state') ?? '',
    target_id: own ?? query.get('target') ?? '',
    sender_id: query.get('sender') ?? '',
    kind: query.get('kind') ?? '',
  });
  const rows = new Loaded((signal) => readPages(call, '/admin/a2a-queue', filter(), most, signal),
    draw).every(EVERY_MS);
  const summary = new Loaded((signal) => call('GET', '/admin/a2a-queue/summary', { signal }), draw);
  if (own === null) {
    summary.every(EVERY_MS);
  }

  const choose = (name, value) => {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    navigate(location.pathname, next);
  };

  async function change(row, verb) {
    await call('POST', `/admin/a2a-queue/${row.queue_id}/${verb}`);
    await Promise.all([rows.refresh(), own === null ? summary.refresh() : null]);
  }

  /** Makes a message due, and says when it will be tried, which its target decides. */
  async function retry(row) {
    await change(row, 'retry');
    const [target] = await call('GET', '/console/rows', { query: { ids: row.workspace_id } }).catch(() => []);
    const wait = target ? waitOf(target, row.kind, now()) : 'can take it';
    toast(wait === '' ? 'It is tried as soon as its turn comes.'
      : `It is tried when ${target?.name ?? 'its target'} ${wait}.`);
  }

  const end = (row, verb, word) => confirm({
    title: `${word} this message?`,
    text: html`<p>It will not be delivered. A delegation that it carries ends with it, which cannot be undone; another
        message can be queued again.</p>`,
    action: word,
    danger: true,
    requests: [{ method: 'POST', path: `/admin/a2a-queue/${row.queue_id}/${verb}` }],
    run: () => change(row, verb),
  });

  async function toggle(row) {
    if (texts.delete(row.queue_id)) {
      draw();
      return;
    }
    texts.set(row.queue_id, null);
    draw();
    const path = `/workspaces/${row.workspace_id}/activity/${row.activity_id}`;
    try {
      const found = await call('GET', path);
      texts.set(row.queue_id, { text: found.data?.text ?? '', found, path });
    } catch (failure) {
      texts.set(row.queue_id, { text: failure.detail ?? failure.message, path });
    }
    draw();
  }

  function actions(row) {
    if (!mayOperate(context.session)) {
      return nothing;
    }
    return OPEN.has(row.state)
      ? html`${action('Retry now', () => retry(row), { hint: 'Tries it at once, or when the target can take it' })}
          ${action('Expire', () => end(row, 'expire', 'Expire'))}
          ${action('Cancel', () => end(row, 'cancel', 'Cancel'))}`
      : UNDELIVERED.has(row.state) && row.kind !== 'delegation' // the server refuses it
        ? action('Queue again', () => retry(row),
          { hint: 'It waits again, under the same id and as long as at first' })
        : nothing;
  }

  function nextTry(row) {
    const place = context.fleet.store.rowOf(row.workspace_id);
    const back = place < 0 ? null : returnOf(context.fleet.store.statusOf(place));
    return row.state === 'delivering' ? 'now' : !row.next_attempt_at ? '–' : back ? `when it ${back}`
      : until(row.next_attempt_at);
  }

  const columns = own === null ? 8 : 7;

  const line = (row) => html`<tr class=${texts.has(row.queue_id) ? 'opened' : ''}>
      ${own === null ? html`<td data-label="Target">${workspaceLink(row.workspace_id)}</td>` : nothing}
      <td data-label="State"><button type="button" class="disclose" aria-expanded=${texts.has(row.queue_id)}
        @click=${() => toggle(row)}>${stateWord(row.state)}</button></td>
      <td data-label="Tries" class="number">${row.attempts}</td>
      <td data-label="Next try">${nextTry(row)}</td>
      <td data-label="Expires">${row.ended_at ? html`ended ${age(row.ended_at)}` : until(row.expires_at)}</td>
      <td data-label="From">${workspaceLink(row.source_id)}</td>
      <td data-label="Last error" class="wide">${row.error
        ? inline(row.error) : html`<span class="meta">none</span>`}</td>
      <td class="actions">${actions(row)}</td>
    </tr>
    ${texts.has(row.queue_id) ? detail(row, texts.get(row.queue_id)) : nothing}`;

  const detail = (row, text) => html`<tr class="detail"><td colspan=${columns}>
      <dl class="facts-line"><div><dt>message</dt>
          <dd><code>${row.queue_id}</code>${copyButton(row.queue_id, 'message id')}</dd></div>
        <div><dt>kind</dt><dd>${row.kind}</dd></div>
        <div><dt>queued</dt><dd>${age(row.enqueued_at)}</dd></div>
        <div><dt>priority</dt><dd>${row.priority}</dd></div></dl>
      ${text === null ? html`<p class="loading">Loading …</p>`
        : html`${block(text.text || 'no text')}${row.error
          ? html`<p class="meta">last error</p>${block(row.error)}` : nothing}
          ${asCurl({ path: text.path })}`}
    </td></tr>`;

  const table = ({ items, next }) => items.length === 0
    ? noneWaits()
    : html`<div class="table-frame" tabindex="0" role="region" aria-label="Queued messages"><table class="rows">
        <thead><tr>${own === null ? html`<th scope="col">Target</th>` : nothing}<th scope="col">State</th>
          <th scope="col">Tries</th>
          <th scope="col">Next try</th><th scope="col">Expires</th><th scope="col">From</th>
          <th scope="col">Last error</th>
          <th scope="col"><span class="off-screen">Actions</span></th></tr></thead>
        <tbody>${repeat(items, (row) => row.queue_id, line)}</tbody></table></div>
      ${moreRows(next, items.length, () => { most += PAGE; rows.refresh(); })}`;

  const noneWaits = () => query.get('state') || query.get('kind') || query.get('sender') || query.get('target')
    ? empty('No message matches.', html`<button type="button"
        @click=${() => navigate(location.pathname, tabOnly(query))}>Show all that wait</button>`)
    : empty('No message waits.',
      html`<p>A message waits here when its push agent is offline, has no address yet, or is at capacity.</p>`,
        asCurl({ path: '/admin/a2a-queue', query: filter() }));

  const targets = (found) => found.targets.length === 0
    ? nothing : html`<ol class="bars">${found.targets.slice(0, 12).map((one) => html`
      <li><span class="bar-name">${workspaceLink(one.id)}</span>
        <progress class="amount" max=${found.targets[0].waiting} value=${one.waiting}
            aria-label="waiting">${one.waiting}</progress>
        <span class="number">${one.waiting}</span>
        <button type="button" class="quiet" aria-pressed=${query.get('target') === one.id}
          @click=${() => choose('target', query.get('target') === one.id ? '' : one.id)}>${query.get('target')
            === one.id ? 'all' : 'only these'}</button></li>`)}
    </ol>`;

  function draw() {
    render(html`${own === null
      ? html`<header class="page-head"><h1>Queue</h1>${drawn(summary, (found) => html`<p class="totals">
            <span><b>${found.waiting}</b> waiting</span><span><b>${found.delivering}</b> being delivered</span>
            ${found.oldest_s === null
              ? nothing : html`<span>oldest <b>${duration(found.oldest_s)}</b></span>`}</p>
            ${targets(found)}`)}</header>`
      : nothing}
      <div class="filters">${choice('State', 'state', query.get('state') ?? '',
        [['', 'waiting or being delivered'], ...STATES], choose)}
        ${choice('Kind', 'kind', query.get('kind') ?? '', [['', 'all'], ...KINDS], choose)}</div>
      ${drawn(rows, table)}
      <footer class="page-foot">${asCurl({ path: '/admin/a2a-queue', query: filter() })}</footer>`, root);
  }

  draw();
  rows.refresh();
  if (own === null) {
    summary.refresh();
  }
  return {
    update(next) {
      query = next.query;
      most = PAGE;
      rows.reset();
    },
    event: (frame) => frame.event === 'ACTIVITY_LOGGED' && rows.soon(),
    close() {
      rows.close();
      summary.close();
    },
  };
}

/** @returns {?string} what a target of this status has to do before it gets messages; null when it gets them */
const returnOf = (status) => status === 'online' || status === 'degraded' ? null
  : { paused: 'is resumed', awaiting_agent: 'connects' }[status] ?? 'is back';

/**
 * Returns what a waiting message waits for, as the server claims messages (R7.7).
 *
 * @param {object} target its record of `/console/rows`
 * @param {string} kind of the message; the result of a delegation needs no free slot
 * @param {number} now in ms
 * @returns {string} such as `is back (offline 16 m)`; '' when nothing but its turn
 */
export function waitOf(target, kind, now) {
  if (target.delivery_mode === 'poll') {
    return '';
  }
  const back = returnOf(target.status);
  if (back) {
    const age = duration((now - Date.parse(target.status_since)) / 1000);
    return `${back} (${statusWord(target.status)} ${age})`;
  }
  if (!target.url) {
    return 'has an address';
  }
  const { active_tasks: active, max_concurrent_tasks: most } = target;
  return kind !== 'result' && active >= most ? `has a free slot (${active} of ${most} in use)` : '';
}

/** Returns the parameters of the url without filters. */
function tabOnly(query) {
  return query.has('tab') ? { tab: query.get('tab') } : {};
}
