/** Holds and draws a value that a page reads from the server: loading, loaded, empty or failed. */
import { html, nothing } from 'lit-html';
import { sentenceOf } from './action.js';

/**
 * A value that is read from the server repeatedly. A response is ignored when a later request was sent meanwhile.
 *
 * @template T
 */
export class Loaded {
  /** @type {T | undefined} */
  value = undefined;
  /** @type {Error | undefined} */
  error = undefined;
  #read;
  #changed;
  #latest = 0;
  #abort = new AbortController();
  #timer = 0;
  #soon = 0;
  #closed = false;
  /** What failed, and what is read periodically, is read again when the server is back or the document is shown. */
  #again = () => {
    if (!document.hidden && (this.error !== undefined || this.#timer !== 0)) {
      this.refresh();
    }
  };

  /**
   * @param {(signal: AbortSignal) => Promise<T>} read
   * @param {() => void} changed called after each change of `value` or `error`
   */
  constructor(read, changed) {
    this.#read = read;
    this.#changed = changed;
    document.addEventListener('muster-back', this.#again);
    document.addEventListener('visibilitychange', this.#again);
  }

  async refresh() {
    clearTimeout(this.#soon);
    this.#soon = 0;
    const request = ++this.#latest;
    try {
      const value = await this.#read(this.#abort.signal);
      if (request === this.#latest && !this.#closed) {
        this.value = value;
        this.error = undefined;
        this.#changed();
      }
    } catch (failure) {
      if (request === this.#latest && !this.#closed && failure.name !== 'AbortError') {
        this.error = failure;
        this.#changed();
      }
    }
  }

  /** Reads after a delay in ms. Calls during the delay cause no further request. */
  soon(ms = 250) {
    if (this.#soon === 0 && !this.#closed) {
      this.#soon = setTimeout(() => this.refresh(), ms);
    }
  }

  /** Clears the value and reads again, because the request has changed. */
  reset() {
    this.value = undefined;
    this.error = undefined;
    this.#changed();
    return this.refresh();
  }

  /** Reads periodically while the document is visible. @param {number} ms the period @returns {this} */
  every(ms) {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => document.hidden || this.refresh(), ms);
    return this;
  }

  close() {
    this.#closed = true;
    document.removeEventListener('muster-back', this.#again);
    document.removeEventListener('visibilitychange', this.#again);
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#abort.abort();
  }
}

/**
 * Draws the value, or that it is loading; draws the error of the latest request above it.
 *
 * @template T
 * @param {Loaded<T>} loaded
 * @param {(value: T) => unknown} draw
 */
export function drawn(loaded, draw) {
  return html`${loaded.error ? problem(loaded.error, () => loaded.refresh()) : nothing}
    ${loaded.value !== undefined
      ? draw(loaded.value)
      : loaded.error ? nothing : html`<p class="loading" role="status">Loading …</p>`}`;
}

/**
 * Draws an error with the id of its request, which is in the server's log.
 *
 * @param {{detail?: string, message?: string, requestId?: string}} failure
 * @param {() => void} [again] adds a button *Try again*
 */
export function problem(failure, again) {
  return html`<div class="problem" role="alert"><p>${sentenceOf(failure)}${failure.requestId
    ? html` <span class="meta">request ${failure.requestId}</span>` : nothing}</p>
    ${again ? html`<button type="button" @click=${again}>Try again</button>` : nothing}</div>`;
}

/**
 * Draws an empty list.
 *
 * @param {string} title why it is empty
 * @param {...unknown} next what to do next
 */
export function empty(title, ...next) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${next}</div>`;
}
