/**
 * Judges by the signs of the server whether what the page shows is of now. A sign is an answer to any request of the
 * page, or a message of a stream; the server sends one at least every 5 s (R17.1).
 */
import * as clock from './clock.js';

/** Random deviation from a pause, as a fraction, so that the consoles do not ask all at once. */
const SPREAD = 0.25;

/**
 * Pauses in ms: `quiet` without a sign until the server is asked, `answer` until the page says that it does not answer,
 * and `again` before each further question; the last one repeats.
 */
export const PAUSES = { quiet: 12_000, answer: 3000, again: [2000, 4000, 8000, 15_000] };

/** Pauses in ms before a WebSocket that was lost is opened again; the last one repeats. */
const REOPENS = [1000, 2000, 4000, 8000, 15_000];

/** Events of a document that may have slept. */
const WAKES = ['visibilitychange', 'resume'];

/**
 * @param {number[]} pauses in ms; the last one repeats
 * @param {number} attempt 0 for the first
 * @param {number} random 0..1
 * @returns {number} the pause before an attempt, in ms
 */
export const wait = (pauses, attempt, random) =>
  Math.round(pauses[Math.min(attempt, pauses.length - 1)] * (1 - SPREAD + 2 * SPREAD * random));

/** @param {number} attempt 0 for the first @returns {number} the pause in ms before a lost WebSocket is opened again */
export const untilReopened = (attempt) => wait(REOPENS, attempt, Math.random());

/**
 * `connecting`: the stream of events is not open yet. `reconnecting`: it was lost. `checking`: the page slept, and the
 * server is being asked. `not_answering`: it was asked, and did not answer.
 *
 * @typedef {'connecting' | 'live' | 'behind' | 'reconnecting' | 'checking' | 'not_answering' | 'signed_out'
 *   | 'database_away'} State
 *
 * @typedef {object} Reopened a WebSocket that is closed while the server does not answer
 * @property {() => void} connect opens it, unless it is open
 * @property {() => void} drop closes it, and does not open it again
 */

export class Link {
  #probe;
  #pauses;
  /** @type {Set<Reopened>} */
  #sockets = new Set();
  #watchers = new Set();
  /** Whether a session is being watched. */
  #isWatching = false;
  /** The last sign, and the last message of the stream. */
  #sign = mark();
  #message = mark();
  /** Server time of the first request since the last sign; null without one. */
  #askedAt = null;
  /** The question that is being asked; null without one. */
  #question = null;
  #attempt = 0;
  #timer = 0;
  /** @type {State} */
  #shown = 'connecting';
  /** Why the server cannot be reached; null while it answers. @type {?State} */
  #away = null;
  #isOpen = false;
  #isLost = false;
  #isBehind = false;
  #isDatabaseAway = false;
  #isSignedOut = false;

  /**
   * @param {object} needs
   * @param {(signal: AbortSignal) => Promise<unknown>} needs.probe sends a small request; throws an ApiError for an
   *   error response
   * @param {typeof PAUSES} [needs.pauses]
   */
  constructor({ probe, pauses = PAUSES }) {
    this.#probe = probe;
    this.#pauses = pauses;
    /** Events that were received and not yet applied. */
    this.behind = 0;
    /** Server time up to which the events are known, in ms; 0 before the stream was open or lost. */
    this.receivedAt = 0;
    /** Server time of the data that the events follow, in ms; 0 before it is loaded. */
    this.loadedAt = 0;
    /** Server time since which the server is known to be away, in ms. */
    this.since = 0;
    /** When the server is asked again, by `Date.now()`. */
    this.retryAt = 0;
  }

  /** Watches until the returned function is called. @returns {() => void} */
  start() {
    const look = () => this.look();
    // before all other listeners of the clock, so that after a sleep nothing is drawn as if it were of now
    const stopTicking = clock.onTick(look);
    WAKES.forEach((type) => document.addEventListener(type, look));
    this.#reset(true);
    return () => {
      stopTicking();
      WAKES.forEach((type) => document.removeEventListener(type, look));
      this.#reset(false);
    };
  }

  #reset(isWatching) {
    this.#isWatching = isWatching;
    this.#sign = mark();
    [this.#away, this.#askedAt, this.#question, this.#attempt] = [null, null, null, 0];
    [this.#isOpen, this.#isLost, this.#isBehind] = [false, false, false];
    [this.#isDatabaseAway, this.#isSignedOut] = [false, false];
    [this.receivedAt, this.loadedAt] = [0, 0];
    clock.thaw();
    this.#update();
    this.#arm();
  }

  /** @returns {State} */
  state() {
    return this.#isSignedOut ? 'signed_out'
      : this.#away ?? (this.#isDatabaseAway ? 'database_away'
        : this.#isOpen ? (this.#isBehind ? 'behind' : 'live') : this.#isLost ? 'reconnecting' : 'connecting');
  }

  /** @returns {boolean} whether what the page shows is of now */
  isCurrent() {
    return isGood(this.state());
  }

  /** @returns {boolean} whether the server is known not to answer, so that requests need not be sent */
  isAway() {
    return this.#away !== null;
  }

  /** @param {(state: State) => void} fn @returns {() => void} removes the listener */
  onState(fn) {
    this.#watchers.add(fn);
    return () => this.#watchers.delete(fn);
  }

  /** Closes a WebSocket while the server does not answer. @param {Reopened} socket @returns {() => void} */
  attach(socket) {
    this.#sockets.add(socket);
    return () => this.#sockets.delete(socket);
  }

  /** Notes that data was loaded which the events of the stream follow. @param {number} at its server time, in ms */
  loaded(at) {
    this.loadedAt = at;
    this.#update();
  }

  /** Notes that a request is sent. */
  asked() {
    this.#askedAt ??= clock.estimate();
  }

  /** Notes a sign of the server. */
  heard() {
    this.#sign = mark();
    this.#askedAt = null;
    if (this.#isOpen && !this.#isDatabaseAway) {
      this.receivedAt = clock.estimate();
    }
    if (this.#away !== null) {
      [this.#away, this.#attempt] = [null, 0];
      this.#update();
      this.#sockets.forEach((socket) => socket.connect());
      document.dispatchEvent(new Event('muster-back'));
      this.#arm();
    }
  }

  /** Notes a message of the stream. @param {{at?: string, events: object[]}} batch */
  message({ at, events }) {
    this.#message = mark();
    clock.sync(at);
    this.heard();
    if (events.length > 0) {
      this.receivedAt = clock.estimate(); // even if the database is away: they were read before
      this.#update();
    }
  }

  /** Notes that a request has no response. */
  failed() {
    this.check();
  }

  /** Notes that the stream is open. */
  opened() {
    this.#message = mark();
    [this.#isOpen, this.#isLost, this.#isDatabaseAway] = [true, false, false];
    this.heard();
    this.#update();
  }

  /** Notes that the stream was closed because it is not needed at present. */
  closed() {
    [this.#isOpen, this.#isLost] = [false, false];
    this.#update();
  }

  /** Notes that the stream was lost. @param {number} retryAt when it is opened again, by `Date.now()` */
  lost(retryAt) {
    [this.#isOpen, this.#isLost, this.retryAt] = [false, true, retryAt];
    this.#update();
    this.check();
  }

  /** Sets the state `behind` or `live`. @param {number} count events that were received and not yet applied */
  waiting(count) {
    this.behind = count;
    this.#isBehind = this.#isBehind ? count >= 500 : count > 5000;
    this.#update();
  }

  /**
   * Notes whether a request that needs the database was answered.
   *
   * @param {boolean} is whether the server could not reach its database
   */
  databaseAway(is) {
    this.#isDatabaseAway = is;
    this.#update();
  }

  /** Tries at once what is to be tried again. */
  now() {
    this.#attempt = 0;
    if (this.isAway() || this.#isDatabaseAway) {
      this.check();
    } else {
      this.#sockets.forEach((socket) => socket.connect());
    }
  }

  /** Judges by the age of the last sign. The timers of a page that slept, or is hidden, come late. */
  look() {
    if (!this.#isWatching || this.#isSignedOut) {
      return;
    }
    const { quiet, answer } = this.#pauses;
    if (this.#away === null && age(this.#sign) >= quiet + answer) {
      this.#goAway(this.#question === null ? 'checking' : 'not_answering');
      this.retryAt = 0;
    } else if (this.#isOpen && age(this.#message) >= quiet + answer) {
      this.#reopen(); // the server answers, so the stream should have had a tick
    }
    if (this.#away === null ? age(this.#sign) >= quiet : Date.now() >= this.retryAt) {
      this.check();
    }
    this.#arm();
  }

  #arm() {
    clearTimeout(this.#timer);
    if (this.#isWatching && !this.#isSignedOut && this.#question === null) {
      const ms = this.#away === null ? this.#pauses.quiet - age(this.#sign) : this.retryAt - Date.now();
      this.#timer = setTimeout(() => this.look(), Math.max(0, ms));
    }
  }

  #reopen() {
    [this.#isOpen, this.#isLost] = [false, true];
    this.#sockets.forEach((socket) => socket.drop());
    this.#update();
    this.#sockets.forEach((socket) => socket.connect());
  }

  #goAway(state) {
    if (this.#away === null) {
      [this.#isOpen, this.#isLost] = [false, true];
      this.#sockets.forEach((socket) => socket.drop());
    }
    this.#away = state;
    this.#update();
  }

  /** Asks the server, unless it is being asked. */
  async check() {
    if (this.#question !== null || !this.#isWatching || this.#isSignedOut) {
      return;
    }
    const question = { sign: this.#sign, limit: new AbortController() };
    this.#question = question;
    this.asked();
    const timer = setTimeout(() => question.limit.abort(), this.#pauses.answer);
    let error = null;
    try {
      await this.#probe(question.limit.signal);
    } catch (failure) {
      error = failure;
    }
    clearTimeout(timer);
    if (this.#question === question) {
      this.#question = null;
      this.#judge(error, question);
      this.#arm();
    }
  }

  #judge(error, { sign, limit }) {
    if (error === null || error.status > 0) {
      this.heard();
      this.#isSignedOut = error?.status === 401;
      this.#isDatabaseAway = error?.status === 503;
      if (this.#isSignedOut) {
        this.#sockets.forEach((socket) => socket.drop());
      }
      this.#update();
    } else if (this.#sign === sign) { // otherwise there was another sign meanwhile
      this.retryAt = Date.now() + wait(this.#pauses.again, this.#attempt++, Math.random());
      this.#goAway(limit.signal.aborted ? 'not_answering' : 'reconnecting');
    }
  }

  #update() {
    const state = this.state();
    if (!isCalm(state) && !this.#isOpen) {
      this.receivedAt = Math.max(this.receivedAt, this.loadedAt);
    }
    if (isGood(state)) {
      clock.thaw();
    } else if (this.receivedAt > 0) {
      clock.freeze(this.receivedAt);
    }
    if (isCalm(this.#shown) && !isCalm(state)) {
      this.since = this.#askedAt ?? clock.estimate();
    }
    if (state !== this.#shown) {
      this.#shown = state;
      this.#watchers.forEach((fn) => fn(state));
    }
  }
}

const isGood = (state) => state === 'live' || state === 'behind';

const isCalm = (state) => isGood(state) || state === 'connecting';

/** Marks a moment by both clocks: one may be set back, the other may stand still while the machine sleeps. */
function mark() {
  return { date: Date.now(), tick: performance.now() };
}

const age = ({ date, tick }) => Math.max(Date.now() - date, performance.now() - tick);
