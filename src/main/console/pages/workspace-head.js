/** Draws the top of a workspace's page: status and actions, the box *Why*, and facts. */
import { html, nothing } from 'lit-html';
import { action } from '../parts/action.js';
import { age, since } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl, commandLine } from '../parts/curl.js';
import { statusMark } from '../parts/status-mark.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { advise } from '../text/advice.js';
import { command } from '../text/shell.js';
import { inline } from '../text/safe.js';
import { ofRecord, sinceOf } from '../text/subject.js';

/** Returns the line with name, status and actions. */
export function head({ id, record, removed }, { actions, mayAct, toChat, session }) {
  const path = `/workspaces/${encodeURIComponent(id)}`;
  const paused = record.status === 'paused';
  const mayOperate = mayAct && session.mayChange();
  return html`<header class="workspace-head">
      <div class="title"><h1>${inline(record.name, { most: 80 })}</h1>${record.role
        ? html`<span class="meta role-text">${inline(record.role)}</span>` : nothing}
        <p class="status-line">${statusMark(record.status)} <span class="meta">${since(record.status_since)}</span>
          ${record.stalled ? stall(record.stalled_since) : nothing}</p></div>
      ${removed || !mayAct ? nothing : html`<div class="buttons">
        ${paused ? action('Resume', actions.resume, { look: 'main' }) : action('Pause', actions.pause)}
        ${action('Restart', () => actions.restart(),
          { hint: 'Asks the agent to end, so that its supervisor starts it again' })}
        ${mayOperate
          ? html`<button type="button" @click=${toChat}>Message</button>
            ${action('Remove…', actions.remove, { look: 'danger' })}` : nothing}</div>`}
      ${removed || !mayAct ? nothing : asCurl({ method: 'POST', path: `${path}/${paused ? 'resume' : 'pause'}` },
        { method: 'POST', path: `${path}/restart`, body: {} }, { method: 'DELETE', path, query: { confirm: true } })}
    </header>`;
}

const stall = (begun) => html`${statusMark('stalled')} <span class="meta">${begun ? since(begun) : nothing}</span>`;

/** Returns the box *Why*: cause, evidence and next steps. */
export function why(workspace, { actions, mayAct, around, address, stream }) {
  const { record, row, id, removed } = workspace;
  const { cause, evidence, next: steps } =
    advise(ofRecord({ ...record, ...(row ?? {}), ...liveOf(record) }, around.self), around);
  const next = removed ? [] : steps;
  return html`<section class="why-box" aria-label="Why"
      data-status=${record.stalled && record.status === 'online' ? 'stalled' : record.status}>
      <p class="cause">${inline(cause, { most: 600 })}</p>
      <dl>${evidence.length > 0
        ? html`<dt>Evidence</dt><dd><ul class="evidence">${evidence.map((one) =>
          html`<li>${inline(one, { most: 400 })}</li>`)}</ul></dd>` : nothing}
        ${next.length > 0
          ? html`<dt>Next</dt><dd><ol>${next.map((step, i) =>
            html`<li><div class="next-step">${nextStep(step,
              { actions, mayAct, address, record, row, id, isFirst: i === 0 })}</div></li>`)}</ol></dd>` : nothing}</dl>
      ${stream === 'live'
        ? nothing : html`<p class="meta">The live events of this workspace are not arriving; this page reads it every
            30 s instead.</p>`}
    </section>`;
}

/** Returns the members of the record that live events update, which are newer than those of the row. */
const liveOf = ({ status, status_since, last_heartbeat_at, active_tasks, current_task, stalled, stalled_since,
  degraded_reason, last_sample_error }) =>
  ({ status, status_since, last_heartbeat_at, active_tasks, current_task, stalled, stalled_since, degraded_reason,
    last_sample_error });

function nextStep({ action: name, text }, { actions, mayAct, address, record, row, id, isFirst }) {
  const words = html`<span>${inline(text, { most: 300 })}</span>`;
  const withdraw = isFirst && mayAct && isRestarting(record, row)
    ? action('Withdraw the restart', actions.withdrawRestart) : nothing;
  switch (name) {
    case 'restart': return mayAct
      ? html`${action('Restart', () => actions.restart(), { look: 'main' })} ${words}` : words;
    case 'pause': return mayAct ? html`${action('Pause', actions.pause)} ${words}` : words;
    case 'resume': return mayAct ? html`${action('Resume', actions.resume, { look: 'main' })} ${words}` : words;
    case 'timeline': return html`<a
        href=${`${address('timeline')}&before=${encodeURIComponent(afterOf(sinceOf(record) ?? record.status_since))}`}
            >Timeline</a>
            ${words}`;
    case 'queue': return html`<a href=${address('queue')}>Queue</a> ${words}`;
    case 'connect': return html`${mayAct ? html`<a href=${address('tokens')}>Tokens</a> ` : nothing}${words}
        ${commandLine(connectCommand(id), 'connect command')}`;
    case 'host': return isRestarting(record, row)
      ? html`${words} With the program muster-agent:
          ${commandLine(connectCommand(id, '"$MUSTER_EXEC"'), 'start command')} ${withdraw}` : words;
    case 'wait': return html`${words} ${withdraw}`;
    default: return words;
  }
}

const isRestarting = (record, row) => Boolean(row?.restart_requested_at ?? record.restart_requested_at);

/** Returns the time one second later, so that a page of the timeline before it includes the status change itself. */
const afterOf = (iso) => new Date(Date.parse(iso) + 1000).toISOString();

/**
 * Returns the command that connects an agent. The agent reads its token from the variable MUSTER_TOKEN.
 *
 * @param {string} id
 * @param {string} [program] a word of the shell: the command that answers messages
 */
export function connectCommand(id, program = "'cat'") {
  return `${command('muster-agent', 'connect', '--url', location.origin, '--workspace-id', id, '--exec')} ${program}`;
}

/** Returns the line of facts. */
export function facts({ id, record, row }) {
  const card = record.agent_card;
  return html`<dl class="facts-line"><div><dt>id</dt><dd><code>${id}</code>${copyButton(id, 'id')}</dd></div>
      <div><dt>parent</dt><dd>${workspaceLink(record.parent_id, 'none')}</dd></div>
      <div><dt>delivery</dt><dd>${record.delivery_mode}${record.url
        ? html` to <code>${inline(record.url, { most: 100 })}</code>` : nothing}</dd></div>
      <div><dt>runtime</dt><dd>${inline(record.runtime, { empty: '–' })}</dd></div>
      <div><dt>tier</dt><dd>${record.tier}</dd></div>
      <div><dt>created</dt><dd>${age(record.created_at)}</dd></div>
      ${row?.queue_depth ? html`<div><dt>queue</dt><dd>${row.queue_depth}</dd></div>` : nothing}
      <div><dt>card</dt><dd>${card
        ? html`<a href=${`/ui/w/${encodeURIComponent(id)}?tab=card`}>${inline(typeof card.name === 'string'
          ? card.name : 'card', { most: 40 })}</a>` : html`<span class="meta">none</span>`}</dd></div></dl>`;
}
