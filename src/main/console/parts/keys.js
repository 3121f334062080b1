/** Keys that work on every page: the palette, the sheet of keys, and `g` with a letter to go to a page. */
import { pagesOf, pathOf } from '../router.js';

/** The pages, and the letter after `g` that goes there. */
const PLACES = { fleet: 'f', delegations: 'd', queue: 'q', runs: 'r', ops: 'o' };

const TOGETHER_MS = 1500;

let context = null;

/** @param {object} of the pages; with `navigate`, `session`, `call` and `fleet` */
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
    const place = event.timeStamp - goAt < TOGETHER_MS ? places().find((one) => one.key === key) : undefined;
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

/** The pages that a letter goes to, for the one who is signed in. */
const places = () =>
  pagesOf(context.session.current())
    .map(([name, { title }]) => ({ name, title, key: PLACES[name] }))
    .filter(({ key }) => key !== undefined);

/**
 * @param {KeyboardEvent} event
 * @returns {boolean} whether it may be a shortcut of a single key: these are a setting of the browser, and no part of what one types
 */
export const isShortcut = (event) =>
  !event.ctrlKey && !event.metaKey && !event.altKey && document.documentElement.dataset.keys !== 'off'
    && !event.target.closest?.('input, textarea, select, [contenteditable]') && !document.querySelector('dialog[open]');

/** Opens the palette: pages, workspaces and actions by name. */
export async function openPalette() {
  if (context.session.current() !== null && !document.querySelector('dialog[open]')) {
    (await import('./palette.js')).showPalette(context);
  }
}

/** Shows which keys there are. */
export async function openKeys() {
  if (!document.querySelector('dialog[open]')) {
    (await import('./palette.js')).showKeys(places());
  }
}
