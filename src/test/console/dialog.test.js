import { html } from 'lit-html';
import { openDialog } from '/src/parts/dialog.js';
import { equal, ok } from './assert.js';

export async function givesTheFocusBackToItsOpener() {
  const opener = document.body.appendChild(document.createElement('button'));
  opener.focus();
  const ended = openDialog({
    title: 'Sure?',
    body: close => html`<button autofocus @click=${() => close('yes')}>Yes</button>`,
  });
  const button = document.querySelector('dialog [autofocus]');
  ok(document.activeElement === button, 'the focus is in the dialog');

  button.click();
  equal(await ended, 'yes');
  equal(document.querySelectorAll('dialog').length, 0);
  ok(document.activeElement === opener, 'the focus is back');
}
