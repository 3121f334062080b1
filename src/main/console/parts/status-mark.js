/** A status as glyph, word and colour: never by colour alone. */
import { html, nothing } from 'lit-html';

const ICONS = new URL('../icons.svg', import.meta.url).href;
const GLYPHS = {
  online: 'online', degraded: 'degraded', offline: 'offline', failed: 'failed', awaiting_agent: 'awaiting',
  paused: 'paused', removed: 'removed', provisioning: 'awaiting', hibernating: 'paused', hibernated: 'paused', stalled: 'stalled',
};

/** @param {string} status @returns {string} the class that gives it its colour */
export const toneOf = (status) => `tone-${GLYPHS[status] ?? 'awaiting'}`;

/** @param {string} status @returns {string} the word that people read */
export const statusWord = (status) => (status === 'awaiting_agent' ? 'awaiting agent' : status);

/** @param {string} status @returns {string} where its glyph is */
export const glyphOf = (status) => `${ICONS}#${GLYPHS[status] ?? 'awaiting'}`;

/**
 * @param {string} status a word of the contract, or stalled
 * @param {{stalled?: boolean, words?: string}} [options] `words` in place of the status' own
 */
export function statusMark(status, { stalled = false, words = statusWord(status) } = {}) {
  return html`<span class="status-mark ${toneOf(status)}"
    ><svg class="status-glyph" aria-hidden="true"><use href=${glyphOf(status)}></use></svg><span>${words}</span>${
      stalled ? html` <span class="status-mark tone-stalled"><svg class="status-glyph" aria-hidden="true"><use href=${glyphOf('stalled')}></use></svg>stalled</span>` : nothing
    }</span>`;
}

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} [status] @returns {SVGElement} its glyph, for what is drawn by hand */
export function glyphElement(status) {
  const svg = document.createElementNS(SVG, 'svg');
  const use = document.createElementNS(SVG, 'use');
  svg.setAttribute('class', 'status-glyph');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(use);
  if (status) {
    use.setAttribute('href', glyphOf(status));
  }
  return svg;
}

/**
 * The same for rows that are drawn by hand.
 *
 * @returns {{element: HTMLElement, show(status: string, stalled: boolean): void}}
 */
export function markElement() {
  const element = document.createElement('span');
  const svg = glyphElement();
  const word = document.createElement('span');
  element.append(svg, word);
  let shown = '';
  return {
    element,
    show(status, stalled) {
      const mark = stalled && status === 'online' ? 'stalled' : status;
      const words = stalled && status !== 'online' ? `${statusWord(status)}, stalled` : statusWord(mark);
      if (shown !== words) {
        shown = words;
        element.className = `status-mark ${toneOf(mark)}`;
        svg.firstChild.setAttribute('href', glyphOf(mark));
        word.textContent = words;
      }
    },
  };
}
