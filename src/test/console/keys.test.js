import { isShortcut } from '/src/parts/keys.js';
import { equal } from './assert.js';

/** Presses a key in an element, and returns whether it may trigger a shortcut there. */
function pressedIn(element, keys = {}) {
  let found;
  document.body.append(element);
  element.addEventListener('keydown', (event) => (found = isShortcut(event)));
  element.dispatchEvent(new KeyboardEvent('keydown', { key: 'g', ...keys }));
  element.remove();
  return found;
}

export function keysOfFieldsAreNoShortcuts() {
  equal(['div', 'button', 'input', 'textarea', 'select'].map((name) => pressedIn(document.createElement(name))), [true, true, false, false, false]);
  equal(pressedIn(document.createElement('div'), { ctrlKey: true }), false);
}

export function noKeyIsAShortcutBehindADialogOrWhenTheyAreOff() {
  const dialog = document.body.appendChild(document.createElement('dialog'));
  dialog.showModal();
  equal(pressedIn(document.createElement('div')), false);
  dialog.remove();
  document.documentElement.dataset.keys = 'off';
  equal(pressedIn(document.createElement('div')), false);
  delete document.documentElement.dataset.keys;
}
