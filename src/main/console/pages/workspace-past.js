/** The page of a workspace at a past time: `/ui/w/{id}?at=…`. It shows nothing later, and has no actions. */
import { html, nothing, render } from 'lit-html';
import { copyButton } from '../parts/copy.js';
import { Loaded, problem } from '../parts/loaded.js';
import { statusMark } from '../parts/status-mark.js';
import { title } from '../parts/title.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { advise } from '../text/advice.js';
import { inline, visible } from '../text/safe.js';
import { ofRecord } from '../text/subject.js';
import { duration, exact } from '../text/time.js';
import { readsAll } from './rights.js';
import { ribbon, RIBBON_MS } from './ribbon.js';
import { open as openTimeline } from './timeline.js';

const REASONS = { runtime_wedged: 'runtime wedged', error_rate: 'error rate' };

/**
 * Opens the page.
 *
 * @param {HTMLElement} root
 * @param {import('../router.js').Place} place
 * @param {object} context of the pages; `at` is the time that is shown, in ms
 */
export function open(root, place, context) {
  const { call, session, at } = context;
  const id = place.segments[1] ?? '';
  const iso = (ms) => new Date(ms).toISOString();
  const address = (changes) => {
    const query = new URLSearchParams(shownQuery);
    Object.entries(changes).forEach(([name, value]) => (value === null ? query.delete(name) : query.set(name, value)));
    return `/ui/w/${encodeURIComponent(id)}${query.size === 0 ? '' : `?${query}`}`;
  };
  let shownQuery = place.query;
  let timeline = null;
  root.replaceChildren(document.createElement('div'), document.createElement('div'));
  const [top, below] = root.children;
  below.className = 'tab-page';
  root.classList.add('as-it-was');

  const loaded = new Loaded(read, () => {
    draw();
    if (loaded.value !== undefined && timeline === null && loaded.value.record.status !== 'removed') {
      timeline = openTimeline(below, { ...place, query: shownQuery },
        { ...context, workspace: { id, record: loaded.value.record } });
    }
  });

  async function read(signal) {
    const removedToo = { include_removed: readsAll(session) ? 'true' : '' };
    const [record, periods] = await Promise.all([
      call('GET', `/workspaces/${encodeURIComponent(id)}`, { query: removedToo, signal }),
      call('GET', `/console/history/${encodeURIComponent(id)}`,
        { query: { from: iso(at - RIBBON_MS), to: iso(at + 1), ...removedToo }, signal }),
    ]);
    title(`${visible(record.name)} as it was · Muster`);
    return { record, periods };
  }

  function draw() {
    const { value, error } = loaded;
    render(html`<div class="past-line"><strong class="band-when">As it was <time
        datetime=${iso(at)}>${exact(at)}</time></strong>
        <a class="button main small" href=${address({ at: null })}>Back to now</a>
        ${readsAll(session)
          ? html`<a class="button small" href=${`/ui/fleet?at=${iso(at)}`}>The fleet then</a>` : nothing}
        <p class="meta">Nothing can be changed in the past: what can be done is on the page of now. Name, role,
            parent and runtime are
          those of today, the reason is that at the begin of the status; heartbeats are not kept, and of stalls
          only what the timeline has.</p></div>
      ${error ? problem(error, () => loaded.refresh()) : nothing}
      ${value !== undefined ? state(value) : error ? nothing : html`<p class="loading" role="status">Loading …</p>`}`,
      top);
  }

  function state({ record, periods }) {
    const period = periodAt(periods, at);
    return html`${head(record, period)} ${period === undefined
        ? html`<p class="notice" role="status">${absent(record, at)}</p>`
        : why(period, { now: at, staleAfterS: session.current()?.stale_after_s ?? 180, isPast: true })}
      ${ribbon(periods, at, (time) => address({ at: time }), 'The 24 hours before')}
      <dl class="facts-line"><div><dt>id</dt><dd><code>${id}</code>${copyButton(id, 'id')}</dd></div>
        <div><dt>parent</dt><dd>${workspaceLink(record.parent_id, 'none')}</dd></div>
        <div><dt>runtime</dt><dd>${inline(record.runtime, { empty: '–' })}</dd></div>
        <div><dt>created</dt><dd>${exact(record.created_at)}</dd></div></dl>
      ${record.status === 'removed'
        ? html`<p class="meta">It was removed ${exact(record.removed_at)}: of its past only the statuses are left.</p>`
        : html`<h2>Timeline <span class="meta">until then</span></h2>`}`;
  }

  function head(record, period) {
    const reason = period?.degraded_reason;
    return html`<header class="workspace-head"><div class="title"><h1>${inline(record.name, { most: 80 })}</h1>
        ${record.role ? html`<span class="meta role-text">${inline(record.role)}</span>` : nothing}
        ${period === undefined ? nothing : html`<p class="status-line">${statusMark(period.status)} ${reason
          ? `(${REASONS[reason] ?? reason})` : nothing}
          <span class="meta">since ${exact(period.since)}
              (${duration((at - Date.parse(period.since)) / 1000)})</span></p>`}</div></header>`;
  }

  draw();
  loaded.refresh();
  return {
    update(next) {
      shownQuery = next.query;
      draw();
      timeline?.update(next);
    },
    close() {
      loaded.close();
      timeline?.close();
      root.classList.remove('as-it-was');
    },
  };
}

/** Returns the box *Why* with cause and evidence. It has no next steps, since the past cannot be changed. */
function why({ status, since, degraded_reason, error }, around) {
  const { cause, evidence } =
    advise(ofRecord({ status, degraded_reason, last_sample_error: error, status_since: since }), around);
  return html`<section class="why-box" aria-label="Why" data-status=${status}>
    <p class="cause">${inline(cause, { most: 600 })}</p>
    ${evidence.length === 0
      ? nothing : html`<dl><dt>Evidence</dt><dd><ul
          class="evidence">${evidence.map((one) => html`<li>${inline(one, { most: 400 })}</li>`)}</ul></dd></dl>`}
  </section>`;
}

/**
 * Returns the status period at a time.
 *
 * @param {object[]} periods of `/console/history/{id}`
 * @param {number} at in ms
 * @returns {object | undefined} undefined without a recorded period
 */
export const periodAt = (periods, at) =>
  periods.findLast(({ since, until }) => Date.parse(since) <= at && (until === null || Date.parse(until) > at));

function absent(record, at) {
  if (at < Date.parse(record.created_at)) {
    return `It did not exist yet: it was created ${exact(record.created_at)}.`;
  }
  return record.removed_at && Date.parse(record.removed_at) <= at
    ? `It had been removed: ${exact(record.removed_at)}.`
    : 'The history of statuses does not go back so far.';
}
