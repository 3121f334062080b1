/** What a page reads from the server: loading, there, empty or refused; and when to read it again. */
import { html, nothing } from 'lit-html';
import { sentenceOf } from './action.js';

/**
 * A value of the server that is read again and again. A later answer never gives way to an earlier one.
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
  #turn = 0;
  #abort = new AbortController();
  #timer = 0;
  #soon = 0;
  #closed = false;

  /**
   * @param {(signal: AbortSignal) => Promise<T>} read
   * @param {() => void} changed called after each answer
   */
  constructor(read, changed) {
    this.#read = read;
    this.#changed = changed;
  }

  /** Reads now. */
  async refresh() {
    clearTimeout(this.#soon);
    this.#soon = 0;
    const turn = ++this.#turn;
    try {
      const value = await this.#read(this.#abort.signal);
      if (turn === this.#turn && !this.#closed) {
        this.value = value;
        this.error = undefined;
        this.#changed();
      }
    } catch (failure) {
      if (turn === this.#turn && !this.#closed && failure.name !== 'AbortError') {
        this.error = failure;
        this.#changed();
      }
    }
  }

  /** Reads within a moment, once for many calls. */
  soon(ms = 250) {
    if (this.#soon === 0 && !this.#closed) {
      this.#soon = setTimeout(() => this.refresh(), ms);
    }
  }

  /** Forgets what was read, for a view of something else. */
  reset() {
    this.value = undefined;
    this.error = undefined;
    this.#changed();
    return this.refresh();
  }

  /** Reads again every so often while the page is seen. */
  every(ms) {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => document.hidden || this.refresh(), ms);
    return this;
  }

  close() {
    this.#closed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#abort.abort();
  }
}

/**
 * Draws what was read, or that it is being read, or why it could not be.
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
 * The server's own sentence, with the id of the request for those who read its log.
 *
 * @param {{detail?: string, message?: string, requestId?: string}} failure
 * @param {() => void} [again]
 */
export function problem(failure, again) {
  return html`<div class="problem" role="alert"><p>${sentenceOf(failure)}${failure.requestId
    ? html` <span class="meta">request ${failure.requestId}</span>` : nothing}</p>
    ${again ? html`<button type="button" @click=${again}>Try again</button>` : nothing}</div>`;
}

/**
 * An empty list: why it is empty, and what to do next.
 *
 * @param {string} title
 * @param {...unknown} next
 */
export function empty(title, ...next) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${next}</div>`;
}
