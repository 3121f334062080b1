/** Builds commands for `sh`, for copying into a terminal. Every argument is quoted. */

const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/;
const CONTROL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]+/g;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * Quotes one argument for `sh`. Control characters other than line feeds are written as a call of `printf`, since a
 * terminal would interpret raw ones in pasted text. NUL and lone surrogates, which an argument cannot contain, become
 * U+FFFD.
 *
 * @param {unknown} word
 * @returns {string}
 */
export function quote(word) {
  const text = String(word ?? '').replace(/\0/g, '\uFFFD').replace(LONE_SURROGATE, '\uFFFD');
  if (PLAIN.test(text)) {
    return text;
  }
  let quoted = '';
  let from = 0;
  for (const found of text.matchAll(CONTROL)) {
    quoted += literal(text.slice(from, found.index)) + printed(found[0]);
    from = found.index + found[0].length;
  }
  return quoted + literal(text.slice(from)) || "''";
}

function literal(text) {
  return text === '' ? '' : `'${text.replaceAll("'", "'\\''")}'`;
}

function printed(controls) {
  const octal = Array.from(new TextEncoder().encode(controls), (byte) => `\\${byte.toString(8).padStart(3, '0')}`);
  return `"$(printf '${octal.join('')}')"`;
}

/**
 * Returns a command with these words, each quoted.
 *
 * @param {unknown[]} words
 * @returns {string}
 */
export function command(...words) {
  return words.map(quote).join(' ');
}

/**
 * Returns JSON in printable ASCII, so that no invisible or direction-changing character is hidden in it.
 *
 * @param {unknown} value
 * @param {number} [indent] spaces before each level of lines; one line by default
 * @returns {string}
 */
export function asciiJson(value, indent) {
  return JSON.stringify(value, null, indent).replace(/[\u007F-\uFFFF]/g, (found) =>
    `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
