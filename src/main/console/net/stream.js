/**
 * The page's WebSocket stream of events. It reconnects by itself and resumes after the last event it passed to its
 * listeners.
 */
import { PAUSES, untilReopened } from './link.js';

export class Stream {
  /**
   * @param {object} needs
   * @param {() => ?string} needs.key the page key
   * @param {import('./link.js').Link} needs.link is told what happens to the stream, and closes it while the server
   *   does not answer
   * @param {typeof WebSocket} [needs.Socket] for tests
   */
  constructor({ key, link, Socket = WebSocket }) {
    this.key = key;
    this.link = link;
    this.Socket = Socket;
    this.after = null;
    this.attempt = 0;
    this.socket = null;
    this.batches = new Set();
    link.attach(this);
  }

  /**
   * @param {(batch: {seq: number, at: string, events: object[]}) => void} fn
   * @returns {() => void} removes the listener
   */
  subscribe(fn) {
    this.batches.add(fn);
    return () => this.batches.delete(fn);
  }

  /** Connects, or reconnects with another position. @param {number} after `seq` of the event to resume after */
  open(after) {
    this.drop();
    this.after = after;
    this.connect();
  }

  close() {
    this.drop();
    this.after = null;
    this.link.closed();
  }

  /** Closes the socket until {@link connect} is called. */
  drop() {
    clearTimeout(this.timer);
    const { socket } = this;
    this.socket = null;
    this.attempt = 0;
    socket?.close();
  }

  connect() {
    if (this.after === null || this.socket !== null) {
      return;
    }
    clearTimeout(this.timer);
    const url = new URL(`/ws?view=console&after=${this.after}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const key = this.key();
    const socket = new this.Socket(url, key ? ['muster-ws', `muster-page.${key}`] : ['muster-ws']);
    this.socket = socket;
    const ifMine = (fn) => (event) => this.socket === socket && fn(event);
    socket.onopen = ifMine(() => this.#opened());
    socket.onmessage = ifMine(({ data }) => this.#take(JSON.parse(data)));
    socket.onclose = ifMine(() => this.#lost());
    // a proxy may take the request and never answer it
    this.timer = setTimeout(() => {
      socket.onclose = null;
      socket.close();
      this.#lost();
    }, PAUSES.quiet + PAUSES.answer);
  }

  #opened() {
    clearTimeout(this.timer);
    this.attempt = 0;
    this.link.opened();
  }

  #take(batch) {
    this.link.message(batch);
    this.after = batch.seq ?? this.after;
    this.batches.forEach((fn) => fn(batch));
  }

  #lost() {
    clearTimeout(this.timer);
    this.socket = null;
    const delay = untilReopened(this.attempt++);
    this.timer = setTimeout(() => this.connect(), delay);
    this.link.lost(Date.now() + delay);
  }
}
