/** The tab *Now* of a workspace: the agent's current state, and the heartbeats received while the page is open. */
import { html, nothing, render } from 'lit-html';
import { age } from '../parts/moment.js';
import { asCurl } from '../parts/curl.js';
import { empty } from '../parts/loaded.js';
import { duration } from '../text/time.js';
import { block, inline } from '../text/safe.js';

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { workspace } = context;

  const fact = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

  function draw() {
    const now = workspace.record;
    const row = workspace.row;
    render(html`<dl class="facts-line wide">
        ${fact('Task', now.current_task
          ? inline(now.current_task, { most: 400 }) : html`<span class="meta">none</span>`)}
        ${fact('Active tasks', `${now.active_tasks} of ${now.max_concurrent_tasks}`)}
        ${fact('Error rate', `${Math.round((now.last_error_rate ?? 0) * 1000) / 10} %`)}
        ${fact('Agent up for', now.uptime_seconds > 0
          ? duration(now.uptime_seconds) : html`<span class="meta">it does not say</span>`)}
        ${fact('Last heartbeat', now.last_heartbeat_at
          ? age(now.last_heartbeat_at) : html`<span class="meta">none yet</span>`)}
        ${row ? html`${fact('Messages that wait', row.queue_depth ?? 0)}${fact('Delegations',
          `${row.in_flight_in ?? 0} in, ${row.in_flight_out ?? 0} out`)}` : nothing}
      </dl>
      ${now.last_sample_error ? html`<h2>Newest error</h2>${block(now.last_sample_error)}` : nothing}
      ${workspace.removed
        ? nothing : html`<h2>Heartbeats <span class="meta">while this page is open; they are not kept</span></h2>`}
      ${workspace.removed ? nothing : workspace.heartbeats.length === 0
        ? empty('None since this page was opened.', html`<p>An agent sends one every
            ${context.session.current()?.heartbeat_interval_s ?? 30} s:</p>`,
            asCurl({ method: 'POST', path: '/registry/heartbeat', body: { workspace_id: workspace.id } }))
        : html`<ol class="heartbeats">${workspace.heartbeats.map((heartbeat) =>
          html`<li>${age(heartbeat.at)} <span class="meta">${heartbeat.active_tasks ?? 0}
              active${heartbeat.uptime_seconds
            ? html`, up for ${duration(heartbeat.uptime_seconds)}` : nothing}</span></li>`)}</ol>`}
      <footer class="page-foot">${asCurl({ path: `/workspaces/${encodeURIComponent(workspace.id)}` })}</footer>`, root);
  }

  draw();
  const timer = setInterval(draw, 5000);
  return { update: draw, event: draw, close: () => clearInterval(timer) };
}
