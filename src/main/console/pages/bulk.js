/** The pages of bulk runs: the list of runs, and the progress and outcomes of one run. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { readPages } from '../net/lists.js';
import { action } from '../parts/action.js';
import { asCurl } from '../parts/curl.js';
import { choice, moreRows } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { age } from '../parts/moment.js';
import { stateWord } from '../parts/state-word.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { block, inline } from '../text/safe.js';
import { counted, number } from '../text/time.js';
import { WORDS } from './bulk-dialog.js';
import { mayOperate } from './rights.js';

const PAGE = 100;
const RUNNING_MS = 700;
const LIST_MS = 5000;
const OUTCOMES = { failed: 'failed', skipped: 'skipped', done: 'done' };

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  let shown = page(root, place, context);
  let id = place.segments[1];
  return {
    update(next) {
      if (next.segments[1] === id) {
        shown.update(next);
        return;
      }
      shown.close();
      id = next.segments[1];
      shown = page(root, next, context);
    },
    close: () => shown.close(),
  };
}

const page = (root, place, context) => (place.segments[1] ? oneRun(root, place, context) : allRuns(root, context));

/** Returns the title of a run. */
const subject = (run) =>
  html`${run.undo_of ? 'Undo: ' : ''}${WORDS[run.action].title} ${counted(run.total, 'workspace')}`;

const chosenBy = (run) => run.filter === null ? html`<span class="meta">chosen one by one</span>`
  : run.filter === '' ? html`<span class="meta">the whole fleet</span>`
    : html`<a href=${fleetOf(run)}><code>${inline(run.filter)}</code></a>`;

const fleetOf = (run) => `/ui/fleet${run.filter ? `?${new URLSearchParams({ q: run.filter })}` : ''}`;

function allRuns(root, { call }) {
  let most = PAGE;
  const runs = new Loaded((signal) => readPages(call, '/admin/bulk', {}, most, signal), draw).every(LIST_MS);

  const line = (run) => html`<tr>
    <td data-label="Run"><a href=${`/ui/bulk/${run.bulk_id}`}>${subject(run)}</a></td>
    <td data-label="State">${stateWord(run.state)}</td>
    <td data-label="Done" class="number">${number(run.done)}</td>
    <td data-label="Skipped" class="number">${number(run.skipped)}</td>
    <td data-label="Failed" class="number">${run.failed > 0 ? html`<b class="bad">${number(run.failed)}</b>` : 0}</td>
    <td data-label="By">${chosenBy(run)}</td>
    <td data-label="Who">${inline(run.who)}</td>
    <td data-label="Began">${age(run.created_at)}</td>
  </tr>`;

  const table = ({ items, next }) => items.length === 0
    ? empty('No bulk changes yet.', html`<p>Choose workspaces in the <a href="/">fleet</a> with <kbd>x</kbd>
        or their boxes; what can be done with them is below the
        table.</p>`, asCurl({ path: '/admin/bulk' }))
    : html`<div class="table-frame" tabindex="0" role="region" aria-label="Bulk runs"><table class="rows">
        <thead><tr>${['Run', 'State', 'Done', 'Skipped', 'Failed', 'By', 'Who', 'Began']
          .map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${repeat(items, (run) => run.bulk_id, line)}</tbody></table></div>
      ${moreRows(next, items.length, () => { most += PAGE; runs.refresh(); })}`;

  function draw() {
    render(html`<header class="page-head"><h1>Bulk runs</h1></header>${drawn(runs, table)}
      <footer class="page-foot">${asCurl({ path: '/admin/bulk' })}</footer>`, root);
  }

  draw();
  runs.refresh();
  return { update() {}, close: () => runs.close() };
}

function oneRun(root, place, { call, navigate, session }) {
  const id = encodeURIComponent(place.segments[1]);
  const path = `/admin/bulk/${id}`;
  let { query } = place;
  let most = PAGE;
  let timer = 0;
  const outcome = () => (query.get('outcome') in OUTCOMES ? query.get('outcome') : 'failed');
  const found = new Loaded(read, draw);

  /** Reads the run and its outcomes, in pages of at most 1,000. */
  async function read(signal) {
    const first = await call('GET', path, { query: { outcome: outcome(), limit: Math.min(most, 1000) }, signal });
    let { items, next } = first;
    while (next !== null && items.length < most) {
      const more = await call('GET', path, { query: { outcome: outcome(), limit: 1000, cursor: next }, signal });
      items = items.concat(more.items);
      next = more.next;
    }
    return { run: first.run, items, next };
  }

  async function change(verb) {
    const run = await call('POST', `${path}/${verb}`);
    if (verb === 'undo') {
      navigate(`/ui/bulk/${run.bulk_id}`);
    } else {
      await found.refresh();
    }
  }

  const progress = (run) => {
    const handled = run.done + run.skipped + run.failed;
    return html`<div class="bulk-progress">
      <progress class="amount" max=${run.total} value=${handled}
          aria-label="Workspaces that the run has come to">${handled}</progress>
      <p class="totals" role="status"><span>${stateWord(run.state)}</span>
        <span><b>${number(run.done)}</b> ${run.undo_of ? 'taken back' : WORDS[run.action].done}</span>
        <span>${run.skipped > 0
          ? html`<a href=${`/ui/bulk/${id}?outcome=skipped`}><b>${number(run.skipped)}</b> skipped</a>`
          : '0 skipped'}</span>
        <span class=${run.failed > 0 ? 'bad' : ''}><b>${number(run.failed)}</b> failed</span>
        <span class="meta">of ${number(run.total)}</span></p>
      ${run.state === 'running' && !run.cancellable
        ? html`<p class="meta">It only ends the messages and delegations that removed workspaces left open.</p>`
        : nothing}
    </div>`;
  };

  const actions = (run) => !mayOperate(session) ? nothing : html`<div class="actions">
    ${run.cancellable
      ? action('Cancel the rest', () => change('cancel'), { hint: 'What is changed stays changed' }) : nothing}
    ${run.state !== 'running' && (run.action === 'pause' || run.action === 'resume')
      && run.undone_by === null && run.done > 0
      ? action('Undo', () => change('undo'), { look: 'main',
        hint: 'Takes back exactly what this run has changed, where it was not changed since' })
      : nothing}
    </div>`;

  const facts = (run) => html`<dl class="facts-line">
    <div><dt>chosen by</dt><dd>${chosenBy(run)}${run.cascade
      ? html` <span class="meta">with all below them</span>` : nothing}</dd></div>
    <div><dt>by</dt><dd>${inline(run.who)}</dd></div>
    <div><dt>began</dt><dd>${age(run.created_at)}</dd></div>
    ${run.ended_at ? html`<div><dt>ended</dt><dd>${age(run.ended_at)}</dd></div>` : nothing}
    ${run.note ? html`<div><dt>note</dt><dd>${inline(run.note)}</dd></div>` : nothing}
    ${run.undo_of
      ? html`<div><dt>takes back</dt><dd><a href=${`/ui/bulk/${run.undo_of}`}>the run before</a></dd></div>` : nothing}
    ${run.undone_by
      ? html`<div><dt>undone by</dt><dd><a href=${`/ui/bulk/${run.undone_by}`}>this run</a></dd></div>` : nothing}
  </dl>${run.text ? block(run.text) : nothing}`;

  const rows = ({ run, items, next }) => items.length === 0
    ? html`<p class="soft">${noneText(run)}</p>`
    : html`<div class="table-frame" tabindex="0" role="region" aria-label="Outcomes"><table class="rows">
        <thead><tr><th scope="col">Workspace</th><th scope="col">Outcome</th><th scope="col">Why</th></tr></thead>
        <tbody>${repeat(items, (item) => item.position, (item) => html`<tr>
          <td data-label="Workspace">${workspaceLink(item.workspace_id)}</td>
          <td data-label="Outcome">${stateWord(item.outcome)}</td>
          <td data-label="Why" class="wide">${item.detail
            ? html`${inline(item.detail)} <code class="meta">${item.code}</code>`
            : html`<span class="meta">–</span>`}</td>
        </tr>`)}</tbody></table></div>
      ${moreRows(next, items.length, () => { most += PAGE; found.refresh(); })}`;

  const noneText = (run) => ({
    failed: run.state === 'running' ? 'None has failed so far.' : 'None has failed.',
    skipped: 'None was skipped.',
    done: run.state === 'running' ? 'None is done yet.' : 'None was changed.',
  })[outcome()];

  function draw() {
    clearTimeout(timer);
    if (found.value?.run.state === 'running') {
      timer = setTimeout(() => found.refresh(), RUNNING_MS);
    }
    render(html`${drawn(found, ({ run, ...outcomes }) => html`
      <header class="page-head"><h1>${subject(run)}</h1>${actions(run)}</header>
      ${progress(run)} ${facts(run)}
      <div class="filters">${choice('Outcome', 'outcome', outcome(), Object.entries(OUTCOMES), choose)}
        <a class="button" href=${fleetOf(run)}>Back to the fleet</a> <a class="button"
            href="/ui/bulk">All runs</a></div>
      ${rows({ run, ...outcomes })}`)}
      <footer class="page-foot">${asCurl({ path, query: { outcome: outcome() } })}</footer>`, root);
  }

  const choose = (_, value) => navigate(location.pathname, value === 'failed' ? {} : { outcome: value });

  draw();
  found.refresh();
  return {
    update(next) {
      ({ query } = next);
      most = PAGE;
      found.refresh();
    },
    close() {
      clearTimeout(timer);
      found.close();
    },
  };
}
