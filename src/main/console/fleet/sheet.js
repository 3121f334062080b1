/** Draws the side sheet of one workspace: cause, evidence, next steps and facts. */
import { html, nothing } from 'lit-html';
import { asCurl } from '../parts/curl.js';
import { statusMark } from '../parts/status-mark.js';
import { advise } from '../text/advice.js';
import { visible } from '../text/safe.js';
import { ofRow } from '../text/subject.js';
import { ago, exact } from '../text/time.js';
import { placeOf, STEPS } from './row.js';
import { actionRequest } from './row-actions.js';

/**
 * @param {object} state
 * @param {import('./store.js').FleetStore} state.store
 * @param {number} state.row
 * @param {import('../text/advice.js').Surroundings} state.around
 * @param {boolean} state.mayChange
 * @param {(row: number, action: string) => void} state.act runs a POST action on the workspace
 * @param {?{id: string, action: string, sentence: string}} state.refused the last action that the server refused
 * @param {() => void} state.close
 */
export function sheet({ store, row, around, mayChange, act, refused, close }) {
  const subject = ofRow(store, row, around.self);
  const id = store.id(row);
  const { cause, evidence, next } = advise(subject, around);
  const detail = store.details.get(row);
  const step = ({ action, text }) => {
    const [label, isAction] = STEPS[action];
    return html`<li>
      ${isAction && mayChange
        ? html`<button type="button" @click=${() => act(row, action)}>${label}</button>`
        : isAction || action === 'wait' || action === 'open'
          ? nothing
          : html`<a class="button" href=${placeOf(id, around, action)}>${label}</a>`}
      <span>${text}</span>${refused?.id === id && refused.action === action ? refusal(refused.sentence) : nothing}
    </li>`;
  };
  const isOther = refused?.id === id && !next.some(({ action }) => action === refused.action);
  return html`<aside class="sheet" aria-label="Workspace" tabindex="-1"
      @keydown=${(event) => event.key === 'Escape' && close()}>
    <header>
      <h2><bdi>${visible(store.name(row))}</bdi></h2>
      <button type="button" class="quiet" aria-label="Close" @click=${close}>✕</button>
    </header>
    <p>
      ${statusMark(subject.status, { stalled: subject.stalled })} ${subject.sinceMs === null ? nothing : html`since
      <span title=${exact(subject.sinceMs)}>${exact(subject.sinceMs)}</span> (${ago(subject.sinceMs, around.now)})`}
    </p>
    <section class="why-card">
      <h3>Why</h3>
      <p>${visible(cause)}</p>
      ${evidence.length > 0
        ? html`<h3>Evidence</h3><ul>${evidence.map((one) => html`<li><bdi>${visible(one)}</bdi></li>`)}</ul>` : nothing}
      ${next.length > 0 ? html`<h3>Next</h3><ol class="sheet-steps">${next.map(step)}</ol>` : nothing}
      ${isOther ? refusal(`${STEPS[refused.action][0]}: ${refused.sentence}`) : nothing}
    </section>
    <dl class="sheet-facts">
      ${fact('Role', visible(store.word('role', row)))}${fact('Runtime', visible(store.word('runtime', row)))}
      ${fact('Above it', store.parent[row] >= 0 ? visible(store.name(store.parent[row])) : '')}
      ${fact('Works on', visible(detail?.current_task ?? ''))}
      ${fact('Waiting', detail?.queue_depth ? `${detail.queue_depth} in its queue` : '')}
      ${fact('Delegations', detail ? `${detail.in_flight_in ?? 0} for it, ${detail.in_flight_out ?? 0} by it` : '')}
      <dt>Id</dt>
      <dd class="mono">${id}</dd>
    </dl>
    <p><a class="button main" href=${placeOf(id, around)}>Open workspace</a></p>
    ${around.isPast ? nothing : asCurl({ path: `/workspaces/${id}` },
      ...next.filter(({ action }) => mayChange && STEPS[action][1]).map(({ action }) => actionRequest(id, action)))}
  </aside>`;
}

const refusal = (sentence) => html`<p class="refusal" role="alert">${sentence}</p>`;

const fact = (name, text) => (text ? html`<dt>${name}</dt><dd><bdi>${text}</bdi></dd>` : nothing);
