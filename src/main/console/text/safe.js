/**
 * Draws text from agents, which may be hostile. All of it is inserted by text bindings, never as markup. This module
 * makes invisible characters visible and truncates long texts.
 */
import { html, nothing } from 'lit-html';

/** Default limit of {@link inline}, in code points. */
export const SHORT = 160;

/** Default limit of {@link block} before *more*, in code points. */
export const LONG = 2000;

/** Limit of what {@link block} inserts at all, *more* included, in code points. */
const MAX_CHARACTERS = 300_000;

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Zero-width joiners between two letters or two emoji: Persian, Hindi and emoji sequences need them. */
const USED_JOINER = new RegExp(
  '(?<=[\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Malayalam}\\p{Script=Sinhala}'
    + '\\p{Mn}\\p{Mc}\\p{Emoji_Modifier}\\p{Extended_Pictographic}\\uFE0F])'
    + '[\\u200C\\u200D](?=[\\p{L}\\p{Extended_Pictographic}])',
  'u',
);

const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]|[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u3164\uFFA0\u{E0100}-\u{E01EF}]/gu;

/** The names of U+0000 to U+001F. */
const CONTROLS =
  ('NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI '
    + 'DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US').split(' ');

/**
 * Replaces each character that is invisible or changes the text direction by its name, such as `⟨ESC⟩` or
 * `⟨U+202E⟩`. Lone surrogates become U+FFFD.
 *
 * @param {unknown} text anything; null and undefined count as ''
 * @param {boolean} [lines] whether to keep line breaks and tabs
 * @returns {string}
 */
export function visible(text, lines = false) {
  const whole = String(text ?? '').replace(LONE_SURROGATE, '\uFFFD');
  const unix = lines ? whole.replace(/\r\n/g, '\n') : whole;
  return unix.replace(INVISIBLE, (found, at) => mark(found, at, unix, lines));
}

function mark(found, at, text, lines) {
  const code = found.codePointAt(0);
  if (lines && (found === '\n' || found === '\t')) {
    return found;
  }
  if ((code === 0x200c || code === 0x200d) && isUsed(text, at)) {
    return found;
  }
  if (code === 0xad) {
    return ''; // a soft hyphen only marks where a word may be broken
  }
  return code < 0x20 ? `⟨${CONTROLS[code]}⟩` : code === 0x7f ? '⟨DEL⟩'
    : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function isUsed(text, at) {
  const near = text.slice(Math.max(0, at - 4), at + 4);
  const found = near.match(USED_JOINER);
  return found !== null;
}

/**
 * Splits a text after a number of code points.
 *
 * @param {string} text
 * @param {number} most length of the first part, in code points
 * @returns {{start: string, rest: string}} `rest` is '' for a text that is not longer
 */
export function clamp(text, most) {
  if (text.length <= most) {
    return { start: text, rest: '' };
  }
  let end = 0;
  for (let count = 0; count < most && end < text.length; count++) {
    end += text.codePointAt(end) > 0xffff ? 2 : 1;
  }
  return { start: text.slice(0, end), rest: text.slice(end) };
}

const LINK = /https?:\/\/[^\s<>"'`⟨⟩{}|\\^\uFFFD]+/giu;

/**
 * Finds the http and https links in a text.
 *
 * @param {string} text a result of {@link visible}
 * @returns {Array<{text: string, href?: string}>} all parts of the text in order; links have `href`
 */
export function links(text) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(LINK)) {
    const shown = found[0].replace(/[.,;:!?)\]]+$/u, '');
    const href = addressOf(shown);
    if (href === null) {
      continue;
    }
    if (found.index > from) {
      parts.push({ text: text.slice(from, found.index) });
    }
    parts.push({ text: shown, href });
    from = found.index + shown.length;
  }
  if (from < text.length) {
    parts.push({ text: text.slice(from) });
  }
  return parts;
}

/**
 * Returns a text as a normalized url, if it is one that may become a link.
 *
 * @param {unknown} text
 * @returns {string | null} null for everything but an absolute http or https url without invisible characters
 */
export function addressOf(text) {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || visible(text) !== text) {
    return null;
  }
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
  } catch {
    return null;
  }
}

/**
 * Draws foreign text on one line, truncated with an ellipsis, and isolated from the text direction around it.
 *
 * @param {unknown} text
 * @param {{most?: number, empty?: string}} [options] `most` code points are shown; `empty` replaces an empty text
 */
export function inline(text, { most = SHORT, empty = '' } = {}) {
  const { start, rest } = clamp(visible(text), most);
  return html`<bdi class="foreign">${start || empty}${rest ? html`<span class="cut">…</span>` : nothing}</bdi>`;
}

/**
 * Draws foreign text with its line breaks and links. The part beyond `most` code points is behind *more*.
 *
 * @param {unknown} text
 * @param {{most?: number, linked?: boolean}} [options]
 */
export function block(text, { most = LONG, linked = true } = {}) {
  const { start: shown, rest: never } = clamp(visible(text, true), MAX_CHARACTERS);
  const { start, rest } = clamp(shown, most);
  const show = linked ? withLinks : (part) => part;
  return html`<div class="foreign lines" dir="auto">${show(start)}${rest
    ? html`<span class="cut">…</span><details
        class="more"><summary>more: ${rest.length.toLocaleString('en')} characters</summary
        ><div class="foreign lines" dir="auto">${show(rest)}</div></details>`
    : nothing}${never ? html`<p class="meta">${never.length.toLocaleString('en')} further characters are not shown</p>`
      : nothing}</div>`;
}

function withLinks(text) {
  return links(text).map(({ text: shown, href }) =>
    href ? html`<a href=${href} target="_blank" rel="noopener noreferrer">${shown}</a>` : shown);
}
