/** The tab *Jobs* of operations: periodic jobs and loops, with their latest runs. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { asCurl } from '../parts/curl.js';
import { Loaded, drawn } from '../parts/loaded.js';
import { age, until } from '../parts/moment.js';
import { stateWord } from '../parts/state-word.js';
import { duration } from '../text/amounts.js';
import { block, inline } from '../text/safe.js';
import { number } from '../text/time.js';

const EVERY_MS = 5000;
const PATH = '/admin/liveness';
/** Age up to which the failure of an earlier run is shown. */
const RECENT_MS = 3_600_000;

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, { call, clock }) {
  const jobs = new Loaded((signal) => call('GET', PATH, { signal }), draw).every(EVERY_MS);

  const failed = (job) => job.last_error_at !== null && job.last_run_at !== null
    && Date.parse(job.last_error_at) >= Date.parse(job.last_run_at);
  const failedLately = (job) => job.last_error_at !== null && clock.now() - Date.parse(job.last_error_at) < RECENT_MS;
  const rank = (job) => (job.overdue ? 0 : failed(job) ? 1 : failedLately(job) ? 2 : 3);

  const state = (job) => {
    if (job.overdue) {
      return stateWord('expired', 'overdue');
    }
    if (job.last_run_at === null) {
      return stateWord('queued', 'not yet run');
    }
    return failed(job) ? stateWord('failed') : stateWord('ok', 'ok');
  };

  const row = (job) => html`<tr>
      <td data-label="Name">${job.name}</td>
      <td data-label="State">${state(job)}</td>
      <td data-label="Last run">${job.last_run_at ? age(job.last_run_at) : '–'}</td>
      <td data-label="Took" class="number">${job.last_duration_ms === null ? '–' : duration(job.last_duration_ms)}</td>
      <td data-label="Next run">${job.next_run_at
        ? until(job.next_run_at) : html`every ${duration(job.interval_s * 1000)}`}</td>
      <td data-label="Runs" class="number">${number(job.runs)}${job.failures > 0
        ? html` <span class="meta">${number(job.failures)} failed</span>` : nothing}</td>
      <td data-label="On" class="wide">${job.replica ? html`<code>${inline(job.replica)}</code>` : '–'}</td></tr>
    ${job.last_error !== null && rank(job) < 3 ? html`<tr class="detail">
      <td colspan="7">${block(job.last_error)}<p class="meta">${age(job.last_error_at)}</p></td></tr>` : nothing}`;

  const table = (title, list) => html`<h2>${title}</h2>
      <div class="table-frame" tabindex="0" role="region" aria-label=${title}><table class="rows">
        <thead><tr>${['Name', 'State', 'Last run', 'Took', 'Next run', 'Runs', 'On']
          .map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${repeat([...list].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)), (job) => job.name,
          row)}</tbody></table></div>`;

  const page = ({ loops }) => {
    const wrong = loops.filter((job) => rank(job) < 2).length;
    return html`<p class=${wrong > 0 ? 'notice bad' : 'notice well'} role="status">${wrong > 0
        ? `${wrong} of ${loops.length} are overdue, or failed when they last ran.`
        : stateWord('ok', `All ${loops.length} run in time`)}</p>
      ${table('Jobs of all replicas together', loops.filter((job) => job.scope === 'cluster'))}
      ${table('Loops of the replica that answers', loops.filter((job) => job.scope === 'replica'))}`;
  };

  function draw() {
    render(html`${drawn(jobs, page)}<footer class="page-foot">${asCurl({ path: PATH })}</footer>`, root);
  }

  draw();
  jobs.refresh();
  return { update: () => draw(), close: () => jobs.close() };
}
