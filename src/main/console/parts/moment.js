/**
 * `<mu-moment>`: shows a time relative to the server's clock, updated every second, with the exact time in the tooltip.
 */
import { html } from 'lit-html';
import { now, onTick } from '../net/clock.js';
import { ago, clockTime, dated, duration, exact } from '../text/time.js';

class Moment extends HTMLElement {
  #at = '';
  #form = 'age';
  #stop = null;

  set at(iso) {
    this.#at = iso;
    this.#show();
  }

  /** @param {'age' | 'until' | 'clock' | 'when' | 'since'} form */
  set form(form) {
    this.#form = form;
    this.#show();
  }

  connectedCallback() {
    this.#stop = onTick(() => this.#show());
    this.#show();
  }

  disconnectedCallback() {
    this.#stop();
  }

  #show() {
    const ms = Date.parse(this.#at);
    if (!this.isConnected || Number.isNaN(ms)) {
      return;
    }
    // for those who cannot point at it for the tooltip
    const isExact = document.documentElement.dataset.times === 'exact';
    const words = isExact && this.#form !== 'clock' ? exact(ms) : FORMS[this.#form](ms);
    if (this.textContent !== words) {
      this.textContent = words;
    }
    this.title = exact(ms);
  }
}

const FORMS = {
  age: behind,
  until: ahead,
  clock: clockTime,
  when: (ms) => dated(ms, now()),
  since: (ms) => `since ${dated(ms, now())} (${duration((now() - ms) / 1000)})`,
};

function behind(ms) {
  const words = ago(ms, now());
  return /^\d+ [smhd]\b/.test(words) ? `${words} ago` : words;
}

function ahead(ms) {
  const seconds = (ms - now()) / 1000;
  return seconds <= 0 ? 'now' : `in ${duration(seconds)}`;
}

customElements.define('mu-moment', Moment);

/**
 * Returns how long ago a time was.
 *
 * @param {string} iso
 */
export function age(iso) {
  return html`<mu-moment .form=${'age'} .at=${iso}></mu-moment>`;
}

/**
 * Returns a time of day without its date.
 *
 * @param {string} iso
 */
export function clock(iso) {
  return html`<mu-moment .form=${'clock'} .at=${iso}></mu-moment>`;
}

/**
 * Returns a time of day, with its date when it is 12 hours or more away.
 *
 * @param {string} iso
 */
export function when(iso) {
  return html`<mu-moment .form=${'when'} .at=${iso}></mu-moment>`;
}

/**
 * Returns how far ahead a time is.
 *
 * @param {string} iso
 */
export function until(iso) {
  return html`<mu-moment .form=${'until'} .at=${iso}></mu-moment>`;
}

/**
 * Returns the start of a state, and how long it has lasted.
 *
 * @param {string} iso
 */
export function since(iso) {
  return html`<mu-moment .form=${'since'} .at=${iso}></mu-moment>`;
}
