/** Maps urls to pages. The module of a page is loaded when the page is first opened. */

/**
 * @typedef {object} Place
 * @property {string} path
 * @property {string[]} segments decoded path segments after /ui; ['fleet'] for /
 * @property {URLSearchParams} query
 */

/**
 * The pages by the first segment of their url. Pages with a `title` are in the navigation, in this order.
 * `load` gets the session. A page with `ofAll` shows data of all workspaces, which the server refuses to agents'
 * sessions.
 */
export const PAGES = {
  fleet: { title: 'Fleet', load: (who) => (who.role === 'agent'
    ? import('./pages/peers.js') : import('./pages/time-machine.js')) },
  delegations: { title: 'Delegations', ofAll: true, load: () => import('./pages/delegations.js') },
  queue: { title: 'Queue', ofAll: true, load: () => import('./pages/queue.js') },
  runs: { title: 'Runs', load: () => import('./pages/runs.js') },
  tokens: { title: 'Tokens', load: () => import('./pages/tokens.js') },
  ops: { title: 'Operations', ofAll: true, load: () => import('./pages/operations.js') },
  bulk: { load: () => import('./pages/bulk.js') },
  w: { load: () => import('./pages/workspace.js') },
  trace: { load: () => import('./pages/trace.js') },
  welcome: { load: () => import('./pages/welcome.js') },
  signin: { load: () => import('./pages/signin.js') },
};

/**
 * Returns the pages in the navigation for a session.
 *
 * @param {?{role: string}} who the session; null without a session
 * @returns {[string, {title: string}][]} names and pages
 */
export const pagesOf = (who) =>
  Object.entries(PAGES).filter(([, { title, ofAll }]) => title !== undefined && !(ofAll && who?.role === 'agent'));

/** @param {string} name a key of {@link PAGES} @returns {string} the path of the page */
export const pathOf = (name) => (name === 'fleet' ? '/' : `/ui/${name}`);

/** @returns {Place} the browser's current url */
export function here() {
  const path = location.pathname;
  const segments = path.replace(/^\/ui(?=\/|$)/, '').split('/').filter((part) => part !== '');
  return {
    path,
    segments: segments.length === 0 ? ['fleet'] : segments.map(decoded),
    query: new URLSearchParams(location.search),
  };
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Changes the url and opens its page. The time zone of the current url, `tz`, is kept unless the query names another.
 *
 * @param {string} path such as /ui/w/6f0e…
 * @param {Record<string, unknown> | URLSearchParams} [query] null and '' are left out
 * @param {{replace?: boolean}} [options] whether to replace the history entry, as for each typed letter; pushes one by
 *   default
 */
export function navigate(path, query = {}, { replace = false } = {}) {
  const pairs = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const kept = new URLSearchParams(pairs.filter(([, value]) => value !== undefined && value !== null && value !== ''));
  const tz = kept.get('tz') ?? here().query.get('tz') ?? 'utc';
  if (tz === 'utc') {
    kept.delete('tz'); // the default
  } else {
    kept.set('tz', tz);
  }
  const url = kept.size === 0 ? path : `${path}?${kept}`;
  if (url !== location.pathname + location.search) {
    history[replace ? 'replaceState' : 'pushState'](null, '', url);
  }
  changed();
}

let changed = () => {};

/**
 * Calls a function after each change of the url: navigation in the history, clicks on links to pages,
 * and {@link navigate}.
 *
 * @param {() => void} fn
 */
export function follow(fn) {
  changed = fn;
  addEventListener('popstate', fn);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (link === null || !plain || event.defaultPrevented || link.target || link.hasAttribute('download')) {
      return;
    }
    const url = new URL(link.href);
    if (url.origin === location.origin && /^\/(ui(\/|$)|$)/.test(url.pathname) && !url.hash) {
      event.preventDefault();
      navigate(url.pathname, url.searchParams);
    }
  });
}
