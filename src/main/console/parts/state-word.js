/** The states of messages, delegations and runs: glyph, word and colour, as statuses of workspaces have them. */
import { html } from 'lit-html';

/** word → [glyph, tone]; a tone is a class of the stylesheet. */
const STATES = {
  sending: ['◌', 'busy'],
  stored: ['✓', 'soft'],
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
 * @param {string} state a word of the contract; one that is not known here is shown as it is
 * @param {string} [words] shown in its place
 */
export function stateWord(state, words = state.replaceAll('_', ' ')) {
  const [glyph, tone] = STATES[state] ?? ['·', 'soft'];
  return html`<span class="state-word ${tone}"><span class="sign" aria-hidden="true">${glyph}</span>${words}</span>`;
}
