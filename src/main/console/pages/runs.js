/** Runs of programs in agents' sandboxes: of all workspaces (`/ui/runs`), and of one workspace (its tab *Runs*). */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { readPages } from '../net/lists.js';
import { age } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl } from '../parts/curl.js';
import { choice, moreRows, ofWorkspace } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { stateWord } from '../parts/state-word.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { duration } from '../text/time.js';
import { inline, visible } from '../text/safe.js';
import { readsAll } from './rights.js';

const PAGE = 50;
const EVERY_MS = 5000;
const STATUSES = ['running', 'succeeded', 'failed', 'errored', 'cancelled', 'lost'];

/** Runs of a task that are read to find the output of one. */
const OUTPUTS_OF_A_TASK = 20;

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call, navigate, session } = context;
  const inTab = context.workspace !== undefined;
  const own = inTab ? context.workspace.id : readsAll(session) ? null : session.current()?.workspace_id ?? null;
  const path = own === null ? '/admin/runtime-runs' : `/workspaces/${encodeURIComponent(own)}/runtime-runs`;
  let query = place.query;
  let most = PAGE;
  let follow = true;
  let wrap = true;
  const opened = new Set();
  const focus = /^run:(.+)$/.exec(query.get('focus') ?? '')?.[1];
  if (focus) {
    opened.add(focus);
  }

  const filter = () => own === null
    ? { status: query.get('status') ?? '', workspace_id: query.get('ws') ?? '', task_name: query.get('task') ?? '' }
    : { task_name: query.get('task') ?? '', include_removed: context.workspace?.removed ? 'true' : '' };
  const rows = new Loaded(async (signal) => {
    const page = await readPages(call, path, filter(), most, signal);
    await Promise.all(page.items.filter((run) => opened.has(run.run_id)).map((run) => readOutput(run, signal)));
    return page;
  }, drawAndFollow).every(EVERY_MS);

  /**
   * Adds stdout and stderr to a run. The list of all workspaces has none, so they are read from the run's workspace.
   */
  async function readOutput(run, signal) {
    if (run.stdout === undefined) {
      const query = { task_name: run.task_name, include_removed: 'true', limit: OUTPUTS_OF_A_TASK };
      const found = await call('GET', `/workspaces/${run.workspace_id}/runtime-runs`, { query, signal });
      Object.assign(run, found.find((one) => one.run_id === run.run_id) ?? { stdout: '', stderr: '' });
    }
  }

  const set = (name, value) => {
    const next = new URLSearchParams(query);
    value ? next.set(name, value) : next.delete(name);
    navigate(location.pathname, next);
  };

  const toggle = (run) => {
    if (!opened.delete(run.run_id)) {
      opened.add(run.run_id);
      readOutput(run).then(drawAndFollow, (failure) => { rows.error = failure; draw(); });
    }
    drawAndFollow();
  };

  const line = (run) => html`<tr class=${opened.has(run.run_id) ? 'opened' : ''}>
      <td data-label="Status"><button type="button" class="disclose" aria-expanded=${opened.has(run.run_id)}
        @click=${() => toggle(run)}>${stateWord(run.status)}</button></td>
      ${inTab ? nothing : html`<td data-label="Workspace">${workspaceLink(run.workspace_id ?? own)}</td>`}
      <td data-label="Task" class="wide">${inline(run.task_name, { empty: 'no name' })}</td>
      <td data-label="Language">${inline([run.language, run.runtime_name]
        .filter(Boolean).join(' · '), { empty: '–' })}</td>
      <td data-label="Exit" class="number">${run.exit_code ?? (run.error_kind ? inline(run.error_kind) : '–')}</td>
      <td data-label="Took" class="number">${took(run)}</td>
      <td data-label="Started">${age(run.started_at)}</td>
    </tr>${opened.has(run.run_id) ? detail(run) : nothing}`;

  const took = (run) => run.duration_ms !== null && run.duration_ms !== undefined
    ? run.duration_ms < 1000 ? `${run.duration_ms} ms` : duration(Number(run.duration_ms) / 1000)
    : run.status === 'running' ? 'running' : '–';

  const output = (name, text, bytes) =>
    html`<section class="output"><h3>${name} <span class="meta">${size(text, bytes)}</span>
        ${text ? copyButton(text, name) : nothing}</h3>
      <pre class=${wrap ? 'wrap' : ''} data-follow tabindex="0" role="region" aria-label=${name}>${text
        ? visible(text, true) : nothing}</pre></section>`;

  const detail = (run) => html`<tr class="detail"><td colspan=${inTab ? 6 : 7}>
      ${run.error_message ? html`<p class="error-line">${inline(run.error_message, { most: 2000 })}</p>` : nothing}
      <div class="switches"><label><input type="checkbox" .checked=${follow}
          @change=${(event) => { follow = event.target.checked; drawAndFollow(); }}> follow</label>
        <label><input type="checkbox" .checked=${wrap}
            @change=${(event) => { wrap = event.target.checked; draw(); }}> wrap</label>
        <span class="meta">run <code>${run.run_id}</code></span>${copyButton(run.run_id, 'run id')}</div>
      ${run.stdout === undefined
        ? html`<p class="loading" role="status">Loading …</p>`
        : html`<div class="outputs">${output('stdout', run.stdout, run.stdout_bytes)}${output('stderr', run.stderr,
          run.stderr_bytes)}</div>`}
    </td></tr>`;

  const table = ({ items, next }) => {
    const status = query.get('status');
    const shown = own !== null && status ? items.filter((run) => run.status === status) : items;
    return shown.length === 0
      ? empty(items.length > 0 ? 'No run matches.' : 'No program has run yet.', items.length > 0 ? nothing
          : html`<p>An agent reports the programs that it runs in its sandbox:</p>`,
        items.length > 0 ? nothing : asCurl({ method: 'POST', path: `/workspaces/${own ?? '$ID'}/runtime-events`,
          body: { type: 'RuntimeStart', payload: { task_name: 'analyse', runtime_name: 'local',
            language: 'python' } } }))
      : html`<div class="table-frame" tabindex="0" role="region" aria-label="Runs"><table class="rows">
          <thead><tr><th scope="col">Status</th>${inTab ? nothing : html`<th scope="col">Workspace</th>`}
            ${['Task', 'Language', 'Exit', 'Took', 'Started']
              .map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
          <tbody>${repeat(shown, (run) => run.run_id, line)}</tbody></table></div>
        ${moreRows(next, shown.length, () => { most += PAGE; rows.refresh(); })}`;
  };

  function draw() {
    render(html`${inTab ? nothing : html`<header class="page-head"><h1>Runs</h1>${ofWorkspace(query, set)}</header>`}
      <div class="filters">${choice('Status', 'status', query.get('status') ?? '', [['', 'all'], ...STATUSES], set)}
        <label class="choice"><span>Task</span><input type="search" name="task" .value=${query.get('task') ?? ''}
            placeholder="exact name"
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
  return count < 1024 ? `${count} B` : count < 1024 ** 2 ? `${Math.round(count / 1024)} KiB`
    : `${(count / 1024 ** 2).toFixed(1)} MiB`;
}
