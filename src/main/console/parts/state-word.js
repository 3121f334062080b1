/** Draws states of messages, delegations, runs and jobs as glyph, word and colour. */
import { html } from 'lit-html';

/** state → [glyph, tone]; a tone is a CSS class. */
const STATES = {
  sending: ['◌', 'busy'],
  stored: ['✓', 'soft'],
  read: ['✓', 'soft'],
  queued: ['◔', 'soft'],
  waiting: ['◔', 'busy'],
  delivering: ['▶', 'busy'],
  dispatched: ['▷', 'busy'],
  in_progress: ['▶', 'busy'],
  running: ['▶', 'busy'],
  delivered: ['✓', 'good'],
  answered: ['✓', 'good'],
  completed: ['✓', 'good'],
  succeeded: ['✓', 'good'],
  done: ['✓', 'good'],
  skipped: ['–', 'soft'],
  ok: ['✓', 'good'],
  uncertain: ['?', 'warn'],
  stuck: ['◆', 'stuck'],
  failed: ['✕', 'bad'],
  errored: ['✕', 'bad'],
  error: ['✕', 'bad'],
  refused: ['✕', 'bad'],
  lost: ['–', 'bad'],
  expired: ['–', 'warn'],
  dropped: ['–', 'soft'],
  cancelled: ['–', 'soft'],
};

/**
 * @param {string} state a state of the API; an unknown one gets a neutral glyph
 * @param {string} [words] text shown instead of the state's name
 */
export function stateWord(state, words = state.replaceAll('_', ' ')) {
  const [glyph, tone] = STATES[state] ?? ['·', 'soft'];
  return html`<span class="state-word ${tone}"><span class="sign" aria-hidden="true">${glyph}</span>${words}</span>`;
}
