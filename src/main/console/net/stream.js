/** The one stream of events of this page. It connects again by itself, after the last event that it handed on. */
import * as clock from './clock.js';

/** Waits between attempts, in s; the last one stays. */
const WAITS = [1, 2, 4, 8, 15];
const SPREAD = 0.25;

/** @typedef {'live' | 'behind' | 'reconnecting' | 'signed_out' | 'database_away'} State */

/**
 * @param {number} attempt 0 for the first
 * @param {number} random 0..1
 * @returns {number} ms to wait before it
 */
export function wait(attempt, random) {
  const seconds = WAITS[Math.min(attempt, WAITS.length - 1)];
  return Math.round(seconds * 1000 * (1 - SPREAD + 2 * SPREAD * random));
}

/** A stream; the page has one, {@link stream}. */
export class Stream {
  /**
   * @param {object} needs
   * @param {() => ?string} needs.key the page key
   * @param {() => Promise<unknown>} needs.probe asks the server anything; throws an ApiError
   * @param {typeof WebSocket} [needs.Socket]
   */
  constructor({ key, probe, Socket = WebSocket }) {
    this.key = key;
    this.probe = probe;
    this.Socket = Socket;
    this.after = null;
    this.attempt = 0;
    this.current = /** @type {State} */ ('reconnecting');
    this.behind = 0;
    /** When something last came from the server, in its time. */
    this.heardAt = 0;
    this.retryAt = 0;
    this.wasLive = false;
    this.batches = new Set();
    this.watchers = new Set();
  }

  /** @param {(batch: {seq: number, events: object[]}) => void} fn @returns {() => void} stops it */
  subscribe(fn) {
    this.batches.add(fn);
    return () => this.batches.delete(fn);
  }

  /** @returns {State} */
  state() {
    return this.current;
  }

  /** @param {(state: State) => void} fn @returns {() => void} stops it */
  onState(fn) {
    this.watchers.add(fn);
    return () => this.watchers.delete(fn);
  }

  /** Begins, or begins again after another event. @param {number} after */
  open(after) {
    this.close();
    this.after = after;
    this.#connect();
  }

  close() {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  /** Tries at once, without waiting for the next attempt. */
  now() {
    if (!this.socket && this.after !== null && this.current !== 'signed_out') {
      this.attempt = 0;
      clearTimeout(this.timer);
      this.#connect();
    }
  }

  #connect() {
    const url = new URL(`/ws?view=console&after=${this.after}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const key = this.key();
    const socket = new this.Socket(url, key ? ['muster-ws', `muster-page.${key}`] : ['muster-ws']);
    this.socket = socket;
    socket.onopen = () => this.socket === socket && this.#good();
    socket.onmessage = ({ data }) => this.socket === socket && this.#take(JSON.parse(data));
    socket.onclose = () => this.socket === socket && this.#lost();
  }

  #take(batch) {
    this.heard();
    this.after = batch.seq ?? this.after;
    this.batches.forEach((fn) => fn(batch));
  }

  #good() {
    this.attempt = 0;
    this.heard();
    this.#become('live');
  }

  /** Says that the server has just been heard of, by this stream or otherwise. */
  heard() {
    clock.thaw();
    this.heardAt = clock.now();
  }

  /** @param {number} count events that wait to be shown */
  waiting(count) {
    this.behind = count;
    if (this.current === 'live' && count > 5000) {
      this.#become('behind');
    } else if (this.current === 'behind' && count < 500) {
      this.#become('live');
    }
  }

  /**
   * Hears of any other request of the page: its success or failure says how the server is.
   *
   * @param {?{status: number}} error null for a success
   */
  report(error) {
    if (error === null) {
      if (this.current === 'database_away' && this.socket?.readyState === 1) {
        this.#good();
      } else if (this.socket?.readyState === 1) {
        this.heard();
      }
    } else if (error.status === 503) {
      this.#become('database_away');
    } else if (error.status === 0 && this.socket) {
      const socket = this.socket;
      this.#lost();
      socket.close(); // the network is gone, and this end would not hear of it for minutes
    }
  }

  async #lost() {
    this.socket = null;
    const delay = wait(this.attempt++, Math.random());
    this.retryAt = Date.now() + delay;
    this.timer = setTimeout(() => this.#connect(), delay);
    this.#become(this.current === 'database_away' ? 'database_away' : 'reconnecting');
    try {
      await this.probe();
    } catch (error) {
      if (error.status === 401) {
        clearTimeout(this.timer);
        this.#become('signed_out');
      } else if (error.status === 503) {
        this.#become('database_away');
      } else if (this.current !== 'live' && this.current !== 'signed_out') {
        this.#become('reconnecting');
      }
    }
  }

  #become(state) {
    if (state !== 'live' && state !== 'behind') {
      clock.freeze(this.heardAt || clock.now());
    }
    if (state !== this.current || state === 'reconnecting') {
      this.current = state;
      this.watchers.forEach((fn) => fn(state));
    }
  }
}
