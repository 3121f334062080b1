/**
 * The page's WebSocket stream of events. It reconnects by itself and resumes after the last event it passed to its
 * listeners.
 */
import * as clock from './clock.js';

/** Delays before reconnects, in s; the last one repeats. */
const WAITS = [1, 2, 4, 8, 15];
/** Random deviation from the delay, as a fraction. */
const SPREAD = 0.25;

/** @typedef {'live' | 'behind' | 'reconnecting' | 'signed_out' | 'database_away'} State */

/**
 * Returns the delay before a reconnect.
 *
 * @param {number} attempt 0 for the first
 * @param {number} random 0..1
 * @returns {number} in ms
 */
export function wait(attempt, random) {
  const seconds = WAITS[Math.min(attempt, WAITS.length - 1)];
  return Math.round(seconds * 1000 * (1 - SPREAD + 2 * SPREAD * random));
}

export class Stream {
  /**
   * @param {object} needs
   * @param {() => ?string} needs.key the page key
   * @param {() => Promise<unknown>} needs.probe sends any request, to learn why the connection was lost; throws an
   *   ApiError
   * @param {typeof WebSocket} [needs.Socket] for tests
   */
  constructor({ key, probe, Socket = WebSocket }) {
    this.key = key;
    this.probe = probe;
    this.Socket = Socket;
    this.after = null;
    this.attempt = 0;
    this.current = /** @type {State} */ ('reconnecting');
    this.behind = 0;
    /** Server time of the last message or response, in ms; 0 before the first one. */
    this.receivedAt = 0;
    this.retryAt = 0;
    this.wasLive = false;
    this.batches = new Set();
    this.watchers = new Set();
  }

  /** @param {(batch: {seq: number, events: object[]}) => void} fn @returns {() => void} removes the listener */
  subscribe(fn) {
    this.batches.add(fn);
    return () => this.batches.delete(fn);
  }

  /** @returns {State} */
  state() {
    return this.current;
  }

  /** @param {(state: State) => void} fn @returns {() => void} removes the listener */
  onState(fn) {
    this.watchers.add(fn);
    return () => this.watchers.delete(fn);
  }

  /** Connects, or reconnects with another position. @param {number} after `seq` of the event to resume after */
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

  /** Reconnects at once, if a reconnect is pending; asks at once whether the database is back, if it was away. */
  now() {
    if (!this.socket && this.after !== null && this.current !== 'signed_out') {
      this.attempt = 0;
      clearTimeout(this.timer);
      this.#connect();
    } else if (this.current === 'database_away') {
      this.probe().then(() => this.report(null), (error) => this.report(error));
    }
  }

  #connect() {
    const url = new URL(`/ws?view=console&after=${this.after}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const key = this.key();
    const socket = new this.Socket(url, key ? ['muster-ws', `muster-page.${key}`] : ['muster-ws']);
    this.socket = socket;
    socket.onopen = () => this.socket === socket && this.#connected();
    socket.onmessage = ({ data }) => this.socket === socket && this.#take(JSON.parse(data));
    socket.onclose = () => this.socket === socket && this.#lost();
  }

  #take(batch) {
    this.received();
    if (this.current === 'database_away') {
      clock.freeze(this.receivedAt); // the batch was read before the database went away
    }
    this.after = batch.seq ?? this.after;
    this.batches.forEach((fn) => fn(batch));
  }

  #connected() {
    this.attempt = 0;
    this.received();
    this.#setState('live');
  }

  /** Records that the server has just responded, on this stream or to a request, and thaws the clock. */
  received() {
    clock.thaw();
    this.receivedAt = clock.now();
  }

  /**
   * Sets the state `behind` or `live` by the backlog.
   *
   * @param {number} count events that were received but not yet applied
   */
  waiting(count) {
    this.behind = count;
    if (this.current === 'live' && count > 5000) {
      this.#setState('behind');
    } else if (this.current === 'behind' && count < 500) {
      this.#setState('live');
    }
  }

  /**
   * Updates the state by the outcome of another request of the page.
   *
   * @param {?{status: number}} error null for a successful response
   */
  report(error) {
    if (error === null) {
      if (this.current === 'database_away' && this.socket?.readyState === 1) {
        this.#connected();
      } else if (this.socket?.readyState === 1) {
        this.received();
      }
    } else if (error.status === 503) {
      this.#setState('database_away');
    } else if (error.status === 0 && this.socket) {
      const socket = this.socket;
      this.#lost();
      socket.close(); // the network is down, and the browser would report the lost connection minutes later
    }
  }

  async #lost() {
    this.socket = null;
    const delay = wait(this.attempt++, Math.random());
    this.retryAt = Date.now() + delay;
    this.timer = setTimeout(() => this.#connect(), delay);
    this.#setState(this.current === 'database_away' ? 'database_away' : 'reconnecting');
    try {
      await this.probe();
    } catch (error) {
      if (error.status === 401) {
        clearTimeout(this.timer);
        this.#setState('signed_out');
      } else if (error.status === 503) {
        this.#setState('database_away');
      } else if (this.current !== 'live' && this.current !== 'signed_out') {
        this.#setState('reconnecting');
      }
    }
  }

  #setState(state) {
    if (state !== 'live' && state !== 'behind') {
      clock.freeze(this.receivedAt || clock.now());
    }
    if (state !== this.current || state === 'reconnecting') {
      this.current = state;
      this.watchers.forEach((fn) => fn(state));
    }
  }
}
