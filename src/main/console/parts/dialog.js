/** Modal dialogs. The element exists only while the dialog is open. */
import { html, nothing, render } from 'lit-html';
import { asCurl } from './curl.js';

let count = 0;

/**
 * Opens a dialog.
 *
 * @param {object} options
 * @param {string} options.title
 * @param {(close: (value?: unknown) => void, redraw: () => void) => unknown} options.body returns the content; called
 *   at each redraw
 * @param {boolean} [options.wide]
 * @param {(key: string) => boolean} [options.endsBy] whether a key closes the dialog; its event goes on to the page's
 *   own handlers
 * @returns {Promise<unknown>} the value given to `close`; undefined after Escape
 */
export function openDialog({ title, body, wide = false, endsBy = () => false }) {
  const dialog = document.createElement('dialog');
  const id = `dialog-${++count}`;
  dialog.className = wide ? 'dialog wide' : 'dialog';
  dialog.setAttribute('aria-labelledby', id);
  return new Promise((resolve) => {
    let result;
    const end = () => {
      if (dialog.isConnected) {
        render(nothing, dialog); // remove the content at once: it may contain a token
        dialog.remove();
        resolve(result);
      }
    };
    const close = (value) => {
      result = value;
      dialog.close(); // which gives the focus back to the element that had it
      end();
    };
    const redraw = () =>
      render(
        html`<div class="dialog-head"><h2 id=${id}>${title}</h2>
            <button type="button" class="quiet" aria-label="Close" @click=${() => close()}>✕</button></div>
          ${body(close, redraw)}`,
        dialog);
    dialog.addEventListener('close', end);
    dialog.addEventListener('keydown', ({ key }) => endsBy(key) && close());
    redraw();
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector('[autofocus]')?.focus();
  });
}

/**
 * Asks for confirmation and runs an action. When the action fails, the dialog stays open and shows the error.
 *
 * @param {object} options
 * @param {string} options.title the question
 * @param {unknown} options.text what will happen, and whether it can be undone
 * @param {string} options.action label of the button
 * @param {(value: string) => Promise<unknown>} options.run gets the typed text
 * @param {boolean} [options.danger]
 * @param {import('../text/curl.js').Request[]} [options.requests] shown as curl
 * @param {{label: string, expected?: string}} [options.typed] adds a text field; with `expected`, its value must be
 *   equal to it
 * @returns {Promise<unknown>} the result of `run`, or true if it has none; undefined when the dialog was cancelled
 */
export function confirm({ title, text, action, run, danger = false, requests = [], typed }) {
  let refusal = '';
  let busy = false;
  let value = '';
  return openDialog({
    title,
    body: (close, redraw) => {
      const ready = !busy && (typed?.expected === undefined ? true : value === typed.expected);
      const submit = async (event) => {
        event.preventDefault();
        if (!ready) {
          return;
        }
        busy = true;
        refusal = '';
        redraw();
        try {
          close((await run(value)) ?? true);
        } catch (failure) {
          busy = false;
          refusal = failure.detail ?? failure.message;
          redraw();
        }
      };
      return html`<form @submit=${submit}>
        <div class="dialog-text">${text}</div>
        ${typed
          ? html`<label class="field"><span>${typed.label}</span>
              <input type="text" autocomplete="off" autofocus .value=${value}
                @input=${(event) => { value = event.target.value; redraw(); }}></label>`
          : nothing}
        ${requests.length > 0 ? asCurl(...requests) : nothing}
        <p class="refusal" role="alert" ?hidden=${refusal === ''}>${refusal}</p>
        <div class="buttons">
          <button type="button" ?autofocus=${!typed} @click=${() => close()}>Keep as it is</button>
          <button type="submit" class=${danger ? 'danger' : 'main'} ?disabled=${!ready}>${busy
            ? `${action} …` : action}</button>
        </div>
      </form>`;
    },
  });
}
