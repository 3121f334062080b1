/**
 * Draws the line above the band of the time machine: the time shown, how many workspaces were in trouble then, and the
 * buttons.
 */
import { html, nothing } from 'lit-html';
import { statusMark } from '../parts/status-mark.js';
import { clockTime, counted, exact, zone } from '../text/time.js';
import { SPANS } from './band.js';

const SPEEDS = [1, 60, 600];

const count = (status, number) =>
  statusMark(status, { words: counted(number, status.replace('_', ' '), status.replace('_', ' ')) });

/**
 * Returns the line.
 *
 * @param {object} state
 * @param {?number} state.at the time that is shown, in ms; null for now
 * @param {?import('./past.js').PastFleet} state.past
 * @param {import('./store.js').FleetStore} state.today
 * @param {string} state.span length of the band, a key of SPANS
 * @param {?number} state.upTo end of the recorded history, in ms; null while it is not known
 * @param {boolean} state.isPlaying
 * @param {number} state.speed of playing, as a multiple of real time
 * @param {boolean} state.compares whether to show the comparison with now
 * @param {object} on callbacks of the buttons: `step(direction)`, `play()`, `speed(times)`, `compare()`,
 *   `choose(span)`, `back()`
 */
export function bandLine(state, on) {
  return state.at === null ? now(state, on) : then(state, on);
}

const spans = (span, on) => html`<label class="band-span"><span class="hidden-label">The band shows</span>
  <select @change=${(event) => on.choose(event.target.value)}>${Object.keys(SPANS).map((name) =>
    html`<option .selected=${name === span}>${name}</option>`)}</select></label>`;

const now = ({ span }, on) => html`<div class="band-line"><span class="band-when soft">Last ${span}</span>
  <button type="button" class="small" aria-keyshortcuts="["
      @click=${() => on.step(-1)}>Last change</button>${spans(span, on)}</div>`;

const then = ({ at, past, today, span, upTo, isPlaying, speed, compares }, on) => html`<div class="band-line">
    <strong class="band-when">As it was <time datetime=${new Date(at).toISOString()}>${exact(at)}</time></strong>
    <span class="band-trouble">${past.isCurrent ? trouble(past) : past.failure ? nothing : 'Loading …'}</span>
    <span class="band-buttons" role="group" aria-label="Other times">
      <button type="button" class="small" aria-keyshortcuts="[" @click=${() => on.step(-1)}>Previous change</button>
      <button type="button" class="small" @click=${() => on.play()}>${isPlaying ? 'Pause' : 'Play'}</button>
      <label><span class="hidden-label">Speed</span>
        <select @change=${(event) => on.speed(Number(event.target.value))}>${SPEEDS.map((times) =>
          html`<option value=${times} .selected=${times === speed}>${times}×</option>`)}</select></label>
      <button type="button" class="small" aria-keyshortcuts="]" @click=${() => on.step(1)}>Next change</button>
      <button type="button" class="small" aria-pressed=${String(compares)}
          @click=${() => on.compare()}>Compare with now</button>
      ${spans(span, on)}<button type="button" class="main small" @click=${() => on.back()}>Back to now</button>
    </span></div>
  ${compares && past.isCurrent
    ? html`<p class="band-compared" role="status">${compared(past.comparedWith(today))}</p>` : nothing}
  <p class="meta band-legend">Nothing can be changed in the past. Names, parents and roles are those of today, reasons
      those at the begin of a status; heartbeats are not kept.
    ${upTo === null ? nothing : html`History up to ${clockTime(upTo)} ${zone()}.`}</p>`;

function trouble(past) {
  const found = Object.entries(past.trouble());
  return html`${found.length === 0 ? 'all well' : found.map(([status, number]) => html`${count(status, number)} `)}
    <span class="soft">of ${counted(past.store.total(), 'workspace')}</span>`;
}

function compared(differences) {
  const found = Object.entries(differences);
  return found.length === 0
    ? 'Since then nothing has another status.'
    : html`Now different: ${found.map(([status, number]) =>
      html`${status === 'new' ? `${counted(number, 'new one')} ` : count(status, number)} `)}`;
}
