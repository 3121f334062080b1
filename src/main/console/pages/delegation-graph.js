/** The graph of `/ui/delegations`: one edge per caller and callee, with the counts of their delegations. */
import { html, nothing, svg } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { readPage } from '../net/lists.js';
import { action } from '../parts/action.js';
import { asCurl } from '../parts/curl.js';
import { choice } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { stateWord } from '../parts/state-word.js';
import { nameOf, workspaceLink } from '../parts/workspace-link.js';
import { duration } from '../text/time.js';
import { inline } from '../text/safe.js';
import { layoutOf } from './graph-layout.js';
import { mayOperate } from './rights.js';

const WINDOWS = [['', 'in flight, and ended within a day'], ['1h', 'and ended within an hour'],
  ['168h', 'and ended within a week']];
const CALL = '/admin/delegations/graph';

/**
 * Creates the graph.
 *
 * @param {object} context of the page
 * @param {() => URLSearchParams} query returns the query of the current url
 * @param {{draw: () => void, retry: (id: string) => Promise<void>, fail: (id: string) => Promise<unknown>}} page
 *   callbacks
 */
export function graphOf(context, query, { draw, retry, fail }) {
  const { call, navigate } = context;
  let chosen = null;
  const filter = () => ({ window: query().get('window') ?? '' });
  const graph = new Loaded((signal) => call('GET', CALL, { query: filter(), signal }), draw);
  const between = new Loaded(readChosen, draw);

  async function readChosen(signal) {
    const { items } = await readPage(call, `/workspaces/${chosen.from}/delegations`,
      { direction: 'sent', limit: 500 }, signal);
    return items.filter((one) => one.target_id === chosen.to);
  }

  function choose(edge) {
    chosen = chosen !== null && keyOf(chosen) === keyOf(edge) ? null : edge;
    draw();
    if (chosen !== null) {
      between.reset();
    }
  }

  const worst = (edge) => edge.stuck > 0 ? 'stuck'
    : edge.failed > 0 ? 'failed' : edge.in_flight > 0 ? 'in_progress' : 'completed';

  const total = (edge) => edge.in_flight + edge.failed + edge.completed;

  function picture(edges) {
    const { nodes, lines, width, height } = layoutOf(edges);
    return html`<div class="graph-frame" tabindex="0" role="region"
        aria-label="Picture of the delegations; the table below says the same">
      <svg class="graph" width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true">
        ${lines.map(({ edge, d, x, y }) =>
          svg`<g class=${`edge ${worst(edge)} ${chosen && keyOf(chosen) === keyOf(edge) ? 'chosen' : ''}`}
              @click=${() => choose(edge)}>
          <path class="catch" d=${d}></path><path d=${d}
              stroke-width=${Math.min(8, 1 + Math.log2(1 + total(edge)))}></path>
          ${edge.stuck > 0 || edge.failed > 0
            ? svg`<text x=${x - 14} y=${y + 4}>${edge.stuck > 0 ? '◆' : '✕'}</text>` : nothing}</g>`)}
        ${nodes.map(({ id, x, y }) =>
          svg`<g class="node"><rect x=${x} y=${y - 13} width="150" height="26" rx="6"></rect>
          <text x=${x + 10} y=${y + 4}>${nameOf(id, 20, draw)}</text></g>`)}
      </svg></div>`;
  }

  const row = (edge) => html`<tr class=${chosen && keyOf(chosen) === keyOf(edge) ? 'opened' : ''}>
      <td data-label="From">${workspaceLink(edge.from)}</td><td data-label="To">${workspaceLink(edge.to)}</td>
      <td data-label="Worst"><button type="button" class="disclose"
          aria-expanded=${chosen !== null && keyOf(chosen) === keyOf(edge)}
        @click=${() => choose(edge)}>${stateWord(worst(edge))}</button></td>
      <td data-label="In flight" class="number">${edge.in_flight}</td>
      <td data-label="Stuck" class="number">${edge.stuck}</td>
      <td data-label="Failed" class="number">${edge.failed}</td>
      <td data-label="Completed" class="number">${edge.completed}</td>
      <td data-label="Oldest">${edge.oldest_s === null || edge.oldest_s === undefined
        ? '–' : duration(edge.oldest_s)}</td></tr>
    ${chosen && keyOf(chosen) === keyOf(edge)
      ? html`<tr class="detail"><td colspan="8">${drawn(between, delegations)}</td></tr>` : nothing}`;

  const delegations = (items) => items.length === 0 ? html`<p class="meta">Nothing of it is kept any more.</p>`
    : html`<ul class="between">${items.map((one) =>
      html`<li>${stateWord(one.status)} <span class="task">${inline(one.summary, { empty: 'no text' })}</span>
        <a href="/ui/trace/${encodeURIComponent(one.delegation_id)}">Trace</a>
        ${!mayOperate(context.session) ? nothing : html`
          ${one.status === 'stuck' || one.status === 'dispatched'
            ? action('Retry', () => retry(one.delegation_id).then(() => between.refresh())) : nothing}
          ${one.status === 'completed' || one.status === 'failed'
            ? nothing : action('Fail…', () => fail(one.delegation_id).then(() => between.refresh()))}`}</li>`)}</ul>`;

  const whole = ({ edges, left_out: leftOut }) => edges.length === 0
    ? empty('There are no delegations yet.',
      html`<p>Lines appear here as soon as one workspace gives a task to another.</p>`)
    : html`${picture(edges)}
      ${leftOut > 0
        ? html`<p class="meta">${leftOut} further lines are left out: those with the fewest delegations.</p>` : nothing}
      <div class="table-frame" tabindex="0" role="region" aria-label="Who delegates to whom"><table class="rows">
        <thead><tr>${['From', 'To', 'Worst', 'In flight', 'Stuck', 'Failed', 'Completed', 'Oldest']
          .map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${repeat(edges, keyOf, row)}</tbody></table></div>`;

  return {
    refresh: () => graph.refresh(),
    soon() {
      graph.soon(1000);
      if (chosen !== null) {
        between.soon(300);
      }
    },
    close() {
      graph.close();
      between.close();
    },
    view: () =>
      html`<div class="filters">${choice('Shown', 'window', query().get('window') ?? '', WINDOWS, (_, value) => {
        const next = new URLSearchParams(query());
        value ? next.set('window', value) : next.delete('window');
        navigate(location.pathname, next);
      })}</div>
      ${drawn(graph, whole)}
      <footer class="page-foot">${asCurl({ path: CALL, query: filter() })}</footer>`,
  };
}

const keyOf = (edge) => `${edge.from}:${edge.to}`;
