/** Reads lists that the server returns in pages, with the cursor of the next page in the `Link` header. */

/**
 * Pages at most for one {@link readPages}. A limit is needed because pages of a filtered list may be short or empty.
 */
const MAX_PAGES = 10;

/**
 * Reads one page.
 *
 * @param {typeof import('./api.js').call} call
 * @param {string} path
 * @param {Record<string, unknown>} query null, undefined and '' are left out
 * @param {AbortSignal} [signal]
 * @returns {Promise<{items: any[], next: string | null}>} `next` is the cursor of the next page; null after the last
 *   one
 */
export async function readPage(call, path, query, signal) {
  const { bytes, headers } = await call('GET', path, { query, signal, as: 'bytes' });
  return { items: JSON.parse(new TextDecoder().decode(bytes)), next: cursorOf(headers.get('Link')) };
}

/**
 * Reads pages until `most` rows are read or the list ends, but at most {@link MAX_PAGES} pages.
 *
 * @param {typeof import('./api.js').call} call
 * @param {string} path
 * @param {Record<string, unknown>} query
 * @param {number} most rows wanted; the last page may exceed it
 * @param {AbortSignal} [signal]
 * @returns {Promise<{items: any[], next: string | null}>}
 */
export async function readPages(call, path, query, most, signal) {
  const size = Math.min(most, 100);
  let { items, next } = await readPage(call, path, { ...query, limit: size }, signal);
  for (let pages = 1; next !== null && items.length < most && pages < MAX_PAGES; pages++) {
    const page = await readPage(call, path, { ...query, limit: size, cursor: next }, signal);
    items = items.concat(page.items);
    next = page.next;
  }
  return { items, next };
}

function cursorOf(link) {
  const found = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '');
  return found === null ? null : new URL(found[1], location.href).searchParams.get('cursor');
}
