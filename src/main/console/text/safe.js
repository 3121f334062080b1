/**
 * Shows text of agents, which may be hostile. Everything goes through text bindings; this module makes
 * invisible characters visible and keeps long texts short.
 */
import { html, nothing } from 'lit-html';

/** Code points at most that a short text shows before *more*. */
export const SHORT = 160;

/** Code points at most that a long text shows before *more*. */
export const LONG = 2000;

/** Code points at most that are ever put into the page from one text. */
const MAX_CHARACTERS = 300_000;

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Joiners that join two letters or two emoji, as Persian, Hindi and families of emoji need them. */
const USED_JOINER =
  /(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Mn}\p{Mc}\p{Emoji_Modifier}\p{Extended_Pictographic}\uFE0F])[\u200C\u200D](?=[\p{L}\p{Extended_Pictographic}])/u;

const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]|[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u3164\uFFA0\u{E0100}-\u{E01EF}]/gu;

/** The names of U+0000 to U+001F. */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(' ');

/**
 * Returns the text with a mark in place of each character that cannot be seen or that changes the
 * direction of what follows, such as `⟨ESC⟩` or `⟨U+202E⟩`.
 *
 * @param {unknown} text anything; null and undefined are the empty text
 * @param {boolean} [lines] whether line breaks and tabs stay as they are
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
    return ''; // a soft hyphen only says where a word may break
  }
  return code < 0x20 ? `⟨${CONTROLS[code]}⟩` : code === 0x7f ? '⟨DEL⟩' : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function isUsed(text, at) {
  const near = text.slice(Math.max(0, at - 4), at + 4);
  const found = near.match(USED_JOINER);
  return found !== null;
}

/**
 * Cuts a text between two code points.
 *
 * @param {string} text
 * @param {number} most code points at most in the first part
 * @returns {{start: string, rest: string}} `rest` is empty when nothing was cut
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
 * Splits visible text at links that may be followed: http and https only.
 *
 * @param {string} text what {@link visible} returned
 * @returns {Array<{text: string, href?: string}>}
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
 * Returns the address of a link if a reader may follow it.
 *
 * @param {unknown} text
 * @returns {string | null} null for everything that is not a whole http or https address
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
 * A foreign text on one line, isolated from the direction of its surroundings.
 *
 * @param {unknown} text
 * @param {{most?: number, empty?: string}} [options] `empty` is shown for an empty text
 */
export function inline(text, { most = SHORT, empty = '' } = {}) {
  const { start, rest } = clamp(visible(text), most);
  return html`<bdi class="foreign">${start || empty}${rest ? html`<span class="cut">…</span>` : nothing}</bdi>`;
}

/**
 * A foreign text with its line breaks and its links, and *more* where it is long.
 *
 * @param {unknown} text
 * @param {{most?: number, linked?: boolean}} [options]
 */
export function block(text, { most = LONG, linked = true } = {}) {
  const { start: shown, rest: never } = clamp(visible(text, true), MAX_CHARACTERS);
  const { start, rest } = clamp(shown, most);
  const show = linked ? withLinks : (part) => part;
  return html`<div class="foreign lines" dir="auto">${show(start)}${rest
    ? html`<span class="cut">…</span><details class="more"><summary>more: ${rest.length.toLocaleString('en')} characters</summary
        ><div class="foreign lines" dir="auto">${show(rest)}</div></details>`
    : nothing}${never ? html`<p class="meta">${never.length.toLocaleString('en')} further characters are not shown</p>` : nothing}</div>`;
}

function withLinks(text) {
  return links(text).map(({ text: shown, href }) =>
    href ? html`<a href=${href} target="_blank" rel="noopener noreferrer">${shown}</a>` : shown);
}
