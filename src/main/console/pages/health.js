/** The tab *Health* of operations: replicas, database and uptime. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { asCurl } from '../parts/curl.js';
import { Loaded, drawn } from '../parts/loaded.js';
import { age, since } from '../parts/moment.js';
import { stateWord } from '../parts/state-word.js';
import { bytes } from '../text/amounts.js';
import { inline } from '../text/safe.js';
import { clockTime, counted, number } from '../text/time.js';

const EVERY_MS = 5000;
const MAX_POINTS = 60;
const SLOW_MS = 50;
const SLOW_COMMIT_MS = 500; // the limit of the alert MusterCommitsSlow
const PATH = '/admin/operations';

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, { call, navigate, fleet }) {
  const rates = [];
  const health = new Loaded(async (signal) => {
    const found = await call('GET', PATH, { signal });
    rates.push(found.heartbeats_s);
    rates.splice(0, rates.length - MAX_POINTS);
    return found;
  }, draw).every(EVERY_MS);

  /** Returns one line for each problem, the worst first. */
  function troubles({ replicas, database, jobs, self_preservation: held }) {
    const silent = replicas.filter((one) => one.silent);
    const overdue = jobs.filter((job) => job.overdue);
    const full = replicas.filter((one) => !one.silent && one.connections_used >= one.connections_max);
    const versions = new Set(replicas.filter((one) => !one.silent).map((one) => one.version));
    return [
      held.suspended
        ? html`Too many fell silent at once: no workspace is taken offline until ${clockTime(held.until)}. Look at the
            network first.` : null,
      silent.length > 0 ? html`${silent.length === 1
        ? 'A replica has' : `${silent.length} replicas have`} not reported for 30 seconds:
        ${silent.map((one) => html`<code>${inline(one.name)}</code> `)}. It was killed, or cannot reach the database.`
      : null,
      overdue.length > 0 ? html`${overdue.length === 1
        ? 'A job is' : `${overdue.length} jobs are`} overdue: ${overdue.map((job) => job.job).join(', ')}.
        <button type="button" class="quiet small"
            @click=${() => navigate('/ui/ops', { tab: 'jobs' })}>Show jobs</button>` : null,
      full.length > 0
        ? html`All database connections of ${inline(full[0].name)} are in use: requests wait for one.` : null,
      database.latency_ms > SLOW_MS
        ? html`The database takes ${database.latency_ms} ms to answer an empty statement.` : null,
      commitMs(replicas) > SLOW_COMMIT_MS
        ? html`Commits take up to ${number(commitMs(replicas))} ms (p99). Look at the database’s disk and its locks.`
        : null,
      versions.size > 1 ? html`The replicas run different versions: ${[...versions].join(', ')}.` : null,
    ].filter((one) => one !== null);
  }

  const fact = (name, value, more = nothing) => html`<div><dt>${name}</dt><dd>${value}</dd>${more === nothing
    ? nothing : html`<dd class="meta">${more}</dd>`}</div>`;

  /** Says what is wrong with work that the server only carries. */
  const stuck = () => {
    const count = fleet?.summary?.delegations.stuck ?? 0;
    return count === 0 ? nothing
      : html`<p class="notice warn">${counted(count, 'delegation is', 'delegations are')} stuck: the agents that work on
          them have fallen silent. <a href="/ui/delegations?status=stuck">Show them</a></p>`;
  };

  const page = (found) => {
    const wrong = troubles(found);
    const { database, replicas } = found;
    return html`<div class=${wrong.length > 0 ? 'notice bad' : 'notice well'} role="status">${wrong.length > 0
        ? html`<ul class="troubles">${wrong.map((one) => html`<li>${one}</li>`)}</ul>`
        : html`${stateWord('ok', 'The server is well')} <span class="meta">as of ${clockTime(found.at)}</span>`}</div>
      ${stuck()}
      <dl class="figures">
        ${fact('Up', since(found.up_since), replicaWords(replicas))}
        ${fact('Heartbeats', html`${number(Math.round(found.heartbeats_s * 10) / 10)} / s`, line(rates))}
        ${fact('Recorded events', html`${number(Math.round(found.events_s * 10) / 10)} / s`, database.oldest_event_at
          ? html`oldest ${age(database.oldest_event_at)}` : 'none yet')}
        ${fact('Commits', commitMs(replicas) > 0
          ? html`99 % within ${number(commitMs(replicas))} ms` : 'none', 'in the last 10 seconds')}
        ${fact('Database', html`answers in ${database.latency_ms} ms`, html`PostgreSQL ${inline(database.version)}${
            database.pooler ? ' behind a pooler' : null}`)}
        ${fact('Size', bytes(database.bytes), html`${bytes(database.history_bytes)} history`)}
      </dl>
      <h2>Replicas</h2>
      <div class="table-frame" tabindex="0" role="region" aria-label="Replicas"><table class="rows">
        <thead><tr>${['Replica', 'State', 'Version', 'Started', 'Heartbeats / s', 'Commits (p99)', 'Streams',
          'Connections'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${repeat(replicas, (one) => one.name, (one) => html`<tr>
          <td data-label="Replica"><code>${inline(one.name)}</code>${one.name === found.replica
            ? html` <span class="meta">answers this page</span>` : nothing}</td>
          <td data-label="State">${one.silent
            ? html`${stateWord('lost', 'silent')} <span class="meta">${age(one.seen_at)}</span>`
            : stateWord('ok', 'reports')}</td>
          <td data-label="Version">${inline(one.version)}</td>
          <td data-label="Started">${age(one.started_at)}</td>
          <td data-label="Heartbeats / s" class="number">${number(Math.round(one.heartbeats_s * 10) / 10)}</td>
          <td data-label="Commits (p99)" class="number">${one.commit_p99_ms === null
            ? '–' : `${number(one.commit_p99_ms)} ms`}</td>
          <td data-label="Streams" class="number">${number(one.streams)}</td>
          <td data-label="Connections"
              class="number">${one.connections_used} of ${one.connections_max}</td></tr>`)}</tbody></table></div>`;
  };

  function draw() {
    render(html`${drawn(health, page)}<footer class="page-foot">${asCurl({ path: PATH })}</footer>`, root);
  }

  draw();
  health.refresh();
  return { update: () => draw(), close: () => health.close() };
}

/** @returns {number} the p99 of commits of the slowest replica, in ms; 0 without a commit */
const commitMs = (replicas) => Math.max(0, ...replicas.filter((one) => !one.silent)
  .map((one) => one.commit_p99_ms ?? 0));

function replicaWords(replicas) {
  const reporting = replicas.filter((one) => !one.silent).length;
  return reporting === replicas.length
    ? counted(reporting, 'replica') : `${reporting} of ${replicas.length} replicas report`;
}

const BARS = '▁▂▃▄▅▆▇█';

/** Returns a sparkline of the rates since the page was opened. */
function line(points) {
  if (points.length < 2) {
    return html`<span>since this page was opened</span>`;
  }
  const most = Math.max(...points, 1e-9);
  const blocks = points.map((point) => BARS[Math.min(7, Math.floor((point / most) * 7.99))]).join('');
  return html`<span class="spark" role="img"
      aria-label="rates since this page was opened, at most ${number(Math.round(most * 10) / 10)}">${blocks}</span>`;
}
