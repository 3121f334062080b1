/** Copies text to the clipboard, also where the clipboard API is missing (plain http from another host). */
import { html } from 'lit-html';

const SHOWN_MS = 1600;

/**
 * Copies a text to the clipboard.
 *
 * @param {string} text
 * @returns {Promise<boolean>} false when the browser refused
 */
export async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // refused: document.execCommand may still be allowed
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text) {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.className = 'off-screen';
  area.value = text;
  area.readOnly = true;
  (focused?.closest('dialog') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  focused?.focus?.();
  return done;
}

const SVG = 'http://www.w3.org/2000/svg';

/** SVG paths. Few fonts have a glyph for copying. */
const SIGNS = {
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  done: 'M3 8.5l3.5 3.5L13 4.5',
  refused: 'M4 4l8 8M12 4l-8 8',
};

function icon(sign) {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', SIGNS[sign]);
  svg.append(path);
  return svg;
}

/** `<mu-copy>`: a button that copies a text and shows the result for {@link SHOWN_MS}. */
class CopyButton extends HTMLElement {
  /** @type {string | (() => string)} */
  text = '';
  /** @type {string} */
  what = 'text';
  #timer = 0;

  connectedCallback() {
    if (this.firstChild === null) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.addEventListener('click', () => this.#copy());
      const said = document.createElement('span');
      said.className = 'off-screen';
      said.setAttribute('role', 'status');
      this.append(button, said);
    }
    this.#show('copy', `Copy ${this.what}`);
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  async #copy() {
    const done = await copy(typeof this.text === 'function' ? this.text() : this.text);
    this.#show(done ? 'done' : 'refused', done ? `Copied ${this.what}` : `Could not copy ${this.what}`);
    this.lastChild.textContent = done ? 'Copied' : 'The browser did not allow it: select the text and copy it';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#show('copy', `Copy ${this.what}`);
      this.lastChild.textContent = '';
    }, SHOWN_MS);
  }

  #show(sign, name) {
    this.firstChild.replaceChildren(icon(sign));
    this.firstChild.title = name;
    this.firstChild.setAttribute('aria-label', name);
  }
}

customElements.define('mu-copy', CopyButton);

/**
 * Returns a button that copies a text.
 *
 * @param {string | (() => string)} text a function is called when the button is pressed
 * @param {string} [what] what the text is, for the button's label, such as `id`
 */
export function copyButton(text, what = 'text') {
  return html`<mu-copy .text=${text} .what=${what}></mu-copy>`;
}
