/**
 * Keyboard shortcuts of every page: the palette, the list of shortcuts, and `g` followed by a letter, which opens a
 * page.
 */
import { pagesOf, pathOf } from '../router.js';

/** Page → the letter after `g` that opens it. */
const PLACES = { fleet: 'f', delegations: 'd', queue: 'q', runs: 'r', ops: 'o' };

/** Time at most between `g` and the letter. */
const SEQUENCE_MS = 1500;

let context = null;

/**
 * Installs the shortcuts.
 *
 * @param {object} of the context of the pages, with `navigate`, `session`, `call` and `fleet`
 */
export function listenForKeys(of) {
  context = of;
  let goAt = -Infinity;
  document.addEventListener('keydown', (event) => {
    const { key } = event;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && key.toLowerCase() === 'k') {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.defaultPrevented || context.session.current() === null || !isShortcut(event)) {
      return;
    }
    const place = event.timeStamp - goAt < SEQUENCE_MS ? places().find((one) => one.key === key) : undefined;
    if (place) {
      goAt = -Infinity;
      event.preventDefault();
      context.navigate(pathOf(place.name));
      return;
    }
    goAt = key === 'g' ? event.timeStamp : -Infinity;
    if (key === '?') {
      event.preventDefault();
      openKeys();
    }
  });
}

/** The pages with a letter that the current session may open. */
const places = () =>
  pagesOf(context.session.current())
    .map(([name, { title }]) => ({ name, title, key: PLACES[name] }))
    .filter(({ key }) => key !== undefined);

/**
 * @param {KeyboardEvent} event
 * @returns {boolean} whether it may trigger a single-key shortcut: these are on, no field has the focus, and no dialog
 *   is open
 */
export const isShortcut = (event) =>
  !event.ctrlKey && !event.metaKey && !event.altKey && document.documentElement.dataset.keys !== 'off'
    && !event.target.closest?.('input, textarea, select, [contenteditable]') && !document.querySelector('dialog[open]');

/** Opens the palette, unless a dialog is open or there is no session. */
export async function openPalette() {
  if (context.session.current() !== null && !document.querySelector('dialog[open]')) {
    (await import('./palette.js')).showPalette(context);
  }
}

/** Opens the list of shortcuts, unless a dialog is open. */
export async function openKeys() {
  if (!document.querySelector('dialog[open]')) {
    (await import('./palette.js')).showKeys(places(), context.session);
  }
}
