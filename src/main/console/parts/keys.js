/** Keys that work on every page: the palette, the sheet of keys, and `g` with a letter to go to a page. */

/** The letter after `g`, and the page. */
export const PLACES = { f: 'fleet', d: 'delegations', q: 'queue', r: 'runs', o: 'ops' };

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
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || areOff() || isBusy(event.target)) {
      return;
    }
    if (event.timeStamp - goAt < TOGETHER_MS && PLACES[key]) {
      goAt = -Infinity;
      event.preventDefault();
      context.navigate(PLACES[key] === 'fleet' ? '/' : `/ui/${PLACES[key]}`);
      return;
    }
    goAt = key === 'g' ? event.timeStamp : -Infinity;
    if (key === '?') {
      event.preventDefault();
      openKeys();
    }
  });
}

/** Single-key shortcuts are a setting of the browser. */
const areOff = () => context.session.current() === null || document.documentElement.dataset.keys === 'off';

const isBusy = (target) => target.closest?.('input, textarea, select, dialog, [contenteditable]') || document.querySelector('dialog[open]');

/** Opens the palette: pages, workspaces and actions by name. */
export async function openPalette() {
  if (context.session.current() !== null && !document.querySelector('dialog[open]')) {
    (await import('./palette.js')).showPalette(context);
  }
}

/** Shows which keys there are. */
export async function openKeys() {
  if (!document.querySelector('dialog[open]')) {
    (await import('./palette.js')).showKeys();
  }
}
