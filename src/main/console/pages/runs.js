/** Programs that agents run in sandboxes: `/ui/runs?ws=…`, and the tab *Runs* of a workspace. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { readPages } from '../net/lists.js';
import { age } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl } from '../parts/curl.js';
import { choice, moreRows } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { stateWord } from '../parts/state-word.js';
import { headOf, ofOneWorkspace } from '../parts/workspace-picker.js';
import { age as spell } from '../text/time.js';
import { inline, visible } from '../text/safe.js';

const PAGE = 50;
const EVERY_MS = 10_000;
const STATUSES = ['running', 'succeeded', 'failed', 'errored', 'cancelled', 'lost'];

const WORDS = { title: 'Runs', text: 'Programs that agents have run in their sandboxes are listed by workspace.', path: '/ui/runs' };

/** @type {import('./rights.js').Page['open']} */
export const open = ofOneWorkspace(WORDS, openRuns);

function openRuns(root, place, context, own, inTab) {
  const { call, navigate } = context;
  const path = `/workspaces/${encodeURIComponent(own)}/runtime-runs`;
  let query = place.query;
  let most = PAGE;
  let follow = true;
  let wrap = true;
  const opened = new Set();
  const focus = /^run:(.+)$/.exec(query.get('focus') ?? '')?.[1];
  if (focus) {
    opened.add(focus);
  }

  const filter = () => ({ task_name: query.get('task') ?? '', include_removed: context.workspace?.removed ? 'true' : '' });
  const rows = new Loaded((signal) => readPages(call, path, filter(), most, signal), drawAndFollow).every(EVERY_MS);

  const set = (name, value) => {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    navigate(location.pathname, next);
  };

  const toggle = (id) => {
    opened.delete(id) || opened.add(id);
    drawAndFollow();
  };

  const line = (run) => html`<tr class=${opened.has(run.run_id) ? 'opened' : ''}>
      <td data-label="Status"><button type="button" class="disclose" aria-expanded=${opened.has(run.run_id)}
        @click=${() => toggle(run.run_id)}>${stateWord(run.status)}</button></td>
      <td data-label="Task" class="wide">${inline(run.task_name, { empty: 'no name' })}</td>
      <td data-label="Language">${inline([run.language, run.runtime_name].filter(Boolean).join(' · '), { empty: '–' })}</td>
      <td data-label="Exit" class="number">${run.exit_code ?? (run.error_kind ? inline(run.error_kind) : '–')}</td>
      <td data-label="Took" class="number">${took(run)}</td>
      <td data-label="Started">${age(run.started_at)}</td>
    </tr>${opened.has(run.run_id) ? detail(run) : nothing}`;

  const took = (run) => run.duration_ms !== null && run.duration_ms !== undefined
    ? run.duration_ms < 1000 ? `${run.duration_ms} ms` : spell(Number(run.duration_ms) / 1000)
    : run.status === 'running' ? 'running' : '–';

  const output = (name, text, bytes) => html`<section class="output"><h3>${name} <span class="meta">${size(text, bytes)}</span>
        ${text ? copyButton(text, name) : nothing}</h3>
      <pre class=${wrap ? 'wrap' : ''} data-follow tabindex="0" role="region" aria-label=${name}>${text ? visible(text, true) : nothing}</pre></section>`;

  const detail = (run) => html`<tr class="detail"><td colspan="6">
      ${run.error_message ? html`<p class="error-line">${inline(run.error_message, { most: 2000 })}</p>` : nothing}
      <div class="switches"><label><input type="checkbox" .checked=${follow} @change=${(event) => { follow = event.target.checked; drawAndFollow(); }}> follow</label>
        <label><input type="checkbox" .checked=${wrap} @change=${(event) => { wrap = event.target.checked; draw(); }}> wrap</label>
        <span class="meta">run <code>${run.run_id}</code></span>${copyButton(run.run_id, 'run id')}</div>
      <div class="outputs">${output('stdout', run.stdout, run.stdout_bytes)}${output('stderr', run.stderr, run.stderr_bytes)}</div>
    </td></tr>`;

  const table = ({ items, next }) => {
    const status = query.get('status');
    const shown = status ? items.filter((run) => run.status === status) : items;
    return shown.length === 0
      ? empty(items.length > 0 ? 'No run matches.' : 'No program has run yet.', items.length > 0 ? nothing
          : html`<p>An agent reports the programs that it runs:</p>`,
        items.length > 0 ? nothing : asCurl({ method: 'POST', path: `/workspaces/${own}/runtime-events`,
          body: { type: 'RuntimeStart', payload: { task_name: 'analyse', runtime_name: 'local', language: 'python' } } }))
      : html`<div class="table-frame" tabindex="0" role="region" aria-label="Runs"><table class="rows">
          <thead><tr>${['Status', 'Task', 'Language', 'Exit', 'Took', 'Started'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
          <tbody>${repeat(shown, (run) => run.run_id, line)}</tbody></table></div>
        ${moreRows(next, shown.length, () => { most += PAGE; rows.refresh(); })}`;
  };

  function draw() {
    render(html`${inTab ? nothing : headOf(WORDS, own)}
      <div class="filters">${choice('Status', 'status', query.get('status') ?? '', [['', 'all'], ...STATUSES], set)}
        <label class="choice"><span>Task</span><input type="search" name="task" .value=${query.get('task') ?? ''} placeholder="exact name"
          @change=${(event) => set('task', event.target.value)}></label></div>
      ${drawn(rows, table)}
      <footer class="page-foot">${asCurl({ path, query: filter() })}</footer>`, root);
  }

  function drawAndFollow() {
    draw();
    if (follow) {
      root.querySelectorAll('pre[data-follow]').forEach((output) => { output.scrollTop = output.scrollHeight; });
    }
  }

  draw();
  rows.refresh();
  return {
    update(next) {
      query = next.query;
      most = PAGE;
      rows.reset();
    },
    event: (frame) => frame.event === 'RUNTIME_EVENT' && rows.soon(),
    close: () => rows.close(),
  };
}

function size(text, bytes) {
  const shown = new TextEncoder().encode(text).length;
  return bytes > shown + 4 ? `last ${bytesOf(shown)} of ${bytesOf(bytes)}` : bytesOf(bytes ?? shown);
}

function bytesOf(count) {
  return count < 1024 ? `${count} B` : count < 1024 ** 2 ? `${Math.round(count / 1024)} KiB` : `${(count / 1024 ** 2).toFixed(1)} MiB`;
}
