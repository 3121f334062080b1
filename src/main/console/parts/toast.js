/** Shows short messages about the results of actions. */

import { visible } from '../text/safe.js';

const STAYS_MS = 6000;

function place() {
  let region = document.getElementById('toasts');
  if (!region) {
    region = document.createElement('div');
    region.id = 'toasts';
    region.setAttribute('role', 'status');
    region.setAttribute('aria-atomic', 'false'); // only what is new is spoken, not the errors that stay
    document.body.append(region);
  }
  return region;
}

/**
 * Shows a message for {@link STAYS_MS}, and longer while it has the pointer or the focus. An error stays until it is
 * closed.
 *
 * @param {string} text
 * @param {{isBad?: boolean, action?: {label: string, run: () => void}}} [options] `isBad` for an error, `action` for a
 *   further button
 */
export function toast(text, { isBad = false, action } = {}) {
  const element = document.createElement('div');
  element.className = isBad ? 'toast failed' : 'toast';
  if (isBad) {
    element.setAttribute('role', 'alert');
  }
  const words = document.createElement('bdi');
  words.textContent = visible(text);
  element.append(words);
  if (action) {
    element.append(button(action.label, () => {
      element.remove();
      action.run();
    }));
  }
  element.append(button('Close', () => element.remove()));
  place().append(element);
  const leave = () => {
    if (element.matches(':hover, :focus-within')) {
      setTimeout(leave, STAYS_MS);
    } else {
      element.remove();
    }
  };
  if (!isBad) {
    setTimeout(leave, STAYS_MS);
  }
}

function button(label, run) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'quiet';
  made.textContent = label;
  made.addEventListener('click', run);
  return made;
}
