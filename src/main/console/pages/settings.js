/** The tab *Settings* of operations: the server's settings, without secrets. */
import { html, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { asCurl } from '../parts/curl.js';
import { choice } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { inline } from '../text/safe.js';

const PATH = '/admin/settings';

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, { call, navigate }) {
  let query = place.query;
  const settings = new Loaded((signal) => call('GET', PATH, { signal }), draw);

  const choose = (name, value) => {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    navigate(location.pathname, next);
  };

  const row = (one) => html`<tr>
      <td data-label="Setting"><code>${one.name}</code></td>
      <td data-label="Value" class="wide">${one.value === null ? html`<span class="meta">not set</span>`
        : one.source === 'default' ? inline(one.value) : html`<b>${inline(one.value)}</b>`}</td>
      <td data-label="Default" class="wide">${inline(one.default)}</td>
      <td data-label="Source">${one.source === 'default' ? html`<span class="meta">default</span>` : one.source}</td>
      <td data-label="What it does" class="wide what">${inline(one.description, { most: 400 })}</td></tr>`;

  const table = (found) => {
    const shown = query.get('given') ? found.settings.filter((one) => one.source !== 'default') : found.settings;
    return shown.length === 0
      ? empty('Nothing is set: all defaults hold.',
        html`<button type="button" @click=${() => choose('given', '')}>Show all settings</button>`)
      : html`<div class="table-frame" tabindex="0" role="region" aria-label="Settings"><table class="rows">
          <thead><tr>${['Setting', 'Value', 'Default', 'Source', 'What it does']
            .map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
          <tbody>${repeat(shown, (one) => one.name, row)}</tbody></table></div>`;
  };

  function draw() {
    render(html`<div class="filters">${choice('Show', 'given', query.get('given') ?? '',
      [['', 'all settings'], ['yes', 'those that were set']], choose)}
        <span class="meta">of the replica that answers; secrets are never shown, and a change needs a
            restart</span></div>
      ${drawn(settings, table)}<footer class="page-foot">${asCurl({ path: PATH })}</footer>`, root);
  }

  draw();
  settings.refresh();
  return {
    update(next) {
      query = next.query;
      draw();
    },
    close: () => settings.close(),
  };
}
