/** The tab *Audit* of operations: who changed what. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { now } from '../net/clock.js';
import { readPages } from '../net/lists.js';
import { copyButton } from '../parts/copy.js';
import { asCurl } from '../parts/curl.js';
import { choice, moment, moreRows } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { age } from '../parts/moment.js';
import { stateWord } from '../parts/state-word.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { ACTION_FILTERS, actionText, targetKind } from '../text/actions.js';
import { inline } from '../text/safe.js';
import { exact, zone } from '../text/time.js';

const PAGE = 100;
const EVERY_MS = 10_000;
const TYPING_MS = 300;
/** Targets at most in a row that is not opened. */
const MAX_TARGETS = 3;
const SPANS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 };
const WITHIN = [['', 'any time'], ['1h', 'the last hour'], ['24h', 'the last 24 hours'], ['7d', 'the last 7 days'],
  ['between', 'between …']];
const NAMES = ['who', 'action', 'target', 'outcome', 'after', 'before', 'within'];

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call, navigate } = context;
  let query = place.query;
  let most = PAGE;
  let typing = 0;
  const opened = new Set();

  const of = (name) => query.get(name) ?? '';
  const isBetween = () => of('within') === 'between'
    || (of('within') === '' && (query.has('after') || query.has('before')));

  const filter = () => ({
    who: of('who'),
    action: of('action'),
    target: of('target').trim(),
    outcome: of('outcome'),
    after: SPANS[of('within')] ? new Date(now() - SPANS[of('within')]).toISOString() : of('after'),
    before: SPANS[of('within')] ? '' : of('before'),
  });

  const rows = new Loaded((signal) => readPages(call, '/admin/audit', filter(), most, signal), draw).every(EVERY_MS);

  function choose(name, value, { replace = false } = {}) {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    if (name === 'within' && value !== 'between') {
      next.delete('after');
      next.delete('before');
    }
    navigate(location.pathname, next, { replace });
  }

  /** Digits that are typed are no steps back. */
  const typedTime = (name, value) => choose(name, value, { replace: of(name) !== '' });

  const typed = (name) => (event) => {
    clearTimeout(typing);
    const { value } = event.target;
    typing = setTimeout(() => choose(name, value.trim(), { replace: true }), TYPING_MS);
  };

  const toggle = (row) => {
    opened.delete(row) || opened.add(row);
    draw();
  };

  function target(row, id, index) {
    const kind = targetKind(row.action, index);
    if (kind === 'workspace') {
      return workspaceLink(id);
    }
    if (kind === 'bulk') {
      return html`<a href=${`/ui/bulk/${encodeURIComponent(id)}`}>its run</a>`;
    }
    return kind === 'delegation'
      ? html`<a href=${`/ui/trace/${encodeURIComponent(id)}`}>${inline(id)}</a>`
      : html`<code title=${id}>${inline(id.slice(0, 8))}</code>`;
  }

  const line = (row) => html`<tr>
      <td data-label="When">${age(row.at)}</td>
      <td data-label="Who"><bdi>${inline(row.who)}</bdi>${row.who === row.role
        ? nothing : html` <span class="meta">${row.role}</span>`}</td>
      <td data-label="Did" class="wide">${actionText(row.action)}${row.detail
        ? html`<span class="meta"> ${inline(row.detail)}</span>` : nothing}</td>
      <td data-label="To" class="wide targets">${row.targets.slice(0, MAX_TARGETS)
        .map((id, index) => html`<span>${target(row, id, index)}</span>`)}
        ${row.targets.length > MAX_TARGETS
          ? html`<span class="meta">and ${row.targets.length - MAX_TARGETS} more</span>` : nothing}</td>
      <td data-label="Result">${row.outcome === 'done' ? stateWord('ok', 'done') : stateWord('refused')}</td>
      <td class="actions"><button type="button" class="disclose" aria-expanded=${opened.has(row.request_id + row.at)}
        @click=${() => toggle(row.request_id + row.at)}>Details</button></td></tr>
    ${opened.has(row.request_id + row.at) ? detail(row) : nothing}`;

  const detail = (row) => html`<tr class="detail"><td colspan="6"><dl class="facts-line">
        <div><dt>at</dt><dd>${exact(row.at)}</dd></div>
        <div><dt>request</dt>
          <dd><code>${inline(row.request_id)}</code>${copyButton(row.request_id, 'request id')}</dd></div>
        <div><dt>action</dt><dd><code>${row.action}</code></dd></div></dl>
      <ul class="target-list">${row.targets.map((id) => html`<li><code>${inline(id)}</code>${copyButton(id, 'target')}
        <button type="button" class="quiet small"
            @click=${() => choose('target', id)}>all about it</button></li>`)}</ul></td></tr>`;

  const table = ({ items, next }) => items.length === 0 && next === null
    ? nothingFound()
    : html`<div class="table-frame" tabindex="0" role="region" aria-label="Audit"><table class="rows">
        <thead><tr>${['When', 'Who', 'Did', 'To', 'Result'].map((name) => html`<th scope="col">${name}</th>`)}
          <th scope="col"><span class="off-screen">Details</span></th></tr></thead>
        <tbody>${repeat(items, (row) => row.request_id + row.at, line)}</tbody></table></div>
      ${moreRows(next, items.length, () => { most += PAGE; rows.refresh(); })}`;

  const nothingFound = () => NAMES.some((name) => query.has(name))
    ? empty('No row matches.', html`<p>Rows are kept 90 days. Reads, and what agents do, leave none.</p>
        <button type="button"
            @click=${() => navigate(location.pathname, { tab: 'audit', tz: query.get('tz') })}>Show all</button>`)
    : empty('Nothing was changed yet.', html`<p>Each change by an operator or by the admin leaves a row here.</p>`,
      asCurl({ path: '/admin/audit' }));

  const text = (label, name, hint) =>
    html`<label class="choice"><span>${label}</span><input type="search" name=${name} .value=${of(name)}
      placeholder=${hint} autocomplete="off" spellcheck="false" @input=${typed(name)}></label>`;

  function draw() {
    render(html`<div class="filters">${text('Who', 'who', 'any name')}
        ${choice('Did', 'action', of('action'), ACTION_FILTERS, choose)}
        ${text('To', 'target', 'an id')}
        ${choice('Result', 'outcome', of('outcome'), [['', 'any'], 'done', 'refused'], choose)}
        ${choice('When', 'within', isBetween() ? 'between' : of('within'), WITHIN, choose)}
        ${isBetween()
          ? html`${moment('from', 'after', of('after'), typedTime)}${moment('to', 'before', of('before'),
            typedTime)}<span class="meta">${zone()}</span>` : nothing}</div>
      ${drawn(rows, table)}
      <footer class="page-foot">${asCurl({ path: '/admin/audit', query: filter() })}</footer>`, root);
  }

  draw();
  rows.refresh();
  return {
    update(next) {
      query = next.query;
      most = PAGE;
      rows.reset();
    },
    close() {
      clearTimeout(typing);
      rows.close();
    },
  };
}
