/** `<mu-age>`: shows the age of a time by the server's clock, updated every second. */
import { now, onTick } from '../net/clock.js';
import { ago, exact } from '../text/time.js';

class Age extends HTMLElement {
  #ms = 0;
  #stop = null;

  /** @param {?number} ms the time; null shows a dash */
  set at(ms) {
    this.#ms = ms;
    this.#show();
  }

  connectedCallback() {
    this.#stop = onTick(() => this.#show());
    this.#show();
  }

  disconnectedCallback() {
    this.#stop?.();
  }

  #show() {
    const words = this.#ms === null ? '–' : ago(this.#ms, now());
    if (this.textContent !== words) {
      this.textContent = words;
      this.title = this.#ms === null ? '' : exact(this.#ms);
    }
  }
}

customElements.define('mu-age', Age);
