/** Draws a workspace's status as glyph, word and colour, so that it can be read without colours. */
import { html, nothing } from 'lit-html';

const ICONS = new URL('../icons.svg', import.meta.url).href;
const GLYPHS = {
  online: 'online', degraded: 'degraded', offline: 'offline', failed: 'failed', awaiting_agent: 'awaiting',
  paused: 'paused', removed: 'removed', provisioning: 'awaiting', hibernating: 'paused', hibernated: 'paused',
  stalled: 'stalled',
};

/** @param {string} status @returns {string} the CSS class for its colour */
export const toneOf = (status) => `tone-${GLYPHS[status] ?? 'awaiting'}`;

/** @param {string} status @returns {string} its name for people */
export const statusWord = (status) => (status === 'awaiting_agent' ? 'awaiting agent' : status);

/** @param {string} status @returns {string} url of its glyph, for `<use>` */
export const glyphOf = (status) => `${ICONS}#${GLYPHS[status] ?? 'awaiting'}`;

/**
 * Returns the template of a status.
 *
 * @param {string} status a status of the API, or `stalled`
 * @param {{stalled?: boolean, words?: string}} [options] `stalled` adds the mark of a stalled workspace, `words`
 *   replaces the status' name
 */
export function statusMark(status, { stalled = false, words = statusWord(status) } = {}) {
  return html`<span class="status-mark ${toneOf(status)}"
    ><svg class="status-glyph" aria-hidden="true"><use href=${glyphOf(status)}></use></svg><span>${words}</span>${
      stalled ? html` <span class="status-mark tone-stalled"><svg class="status-glyph"
          aria-hidden="true"><use href=${glyphOf('stalled')}></use></svg>stalled</span>` : nothing
    }</span>`;
}

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} [status] @returns {SVGElement} its glyph, for code that builds elements without a template */
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
 * Returns an element for a status, for rows that are updated in place. `show` writes only changes.
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
        word.title = words; // a narrow cell cuts it
      }
    },
  };
}
