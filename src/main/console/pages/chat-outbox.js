/**
 * Keeps the draft and the sent messages of each workspace's chat in the browser's storage. A message keeps its id, so
 * that sending it again is a duplicate for the server.
 */
import * as clock from '../net/clock.js';
import { onChange, PERSONAL } from '../net/session.js';
import { asciiJson } from '../text/shell.js';

const MAX_SENT = 100;
const boxes = new Map();

/**
 * Returns the outbox of a workspace, always the same object.
 *
 * @param {string} id
 * @returns {Outbox}
 */
export function outboxOf(id) {
  if (!boxes.has(id)) {
    boxes.set(id, new Outbox(id));
  }
  return boxes.get(id);
}

// the end of a session clears the storage; the next user must not get the outboxes in memory either
onChange((session) => session === null && boxes.clear());

/** Returns the request that sends a message, for `call` and for *as curl*. */
export function requestOf(id, messageId, text) {
  return {
    method: 'POST',
    path: `/workspaces/${encodeURIComponent(id)}/a2a`,
    body: { jsonrpc: '2.0', id: messageId, method: 'message/send',
      params: { message: { role: 'user', messageId, parts: [{ kind: 'text', text }] } } },
  };
}

class Outbox {
  draft = '';
  /** @type {Array<{messageId: string, text: string, at: string, state: string, note?: string, code?: string}>} */
  sent = [];
  #id;
  #listeners = new Set();

  constructor(id) {
    this.#id = id;
    try {
      const kept = JSON.parse(localStorage.getItem(PERSONAL + id) ?? '{}');
      this.draft = typeof kept.draft === 'string' ? kept.draft : '';
      this.sent = Array.isArray(kept.sent) ? kept.sent : [];
    } catch {
      // invalid content, or storage is blocked: start empty
    }
    // the outcome of a request is unknown when the page was closed before the response
    this.sent.filter((one) => one.state === 'sending').forEach((one) => Object.assign(one, {
      state: 'uncertain',
      note: 'This page was closed before the server said that it has the message.',
    }));
  }

  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  keepDraft(text) {
    this.draft = text;
    this.#keep();
  }

  /**
   * Sends a text, or an earlier message again under its id.
   *
   * @param {typeof import('../net/api.js').call} call
   * @param {string} text
   * @param {string} [messageId] id of a message to send again
   */
  async send(call, text, messageId = newId()) {
    let one = this.sent.find((known) => known.messageId === messageId);
    if (one?.state === 'sending') {
      return;
    }
    if (one === undefined) {
      one = { messageId, text, at: new Date(clock.now()).toISOString(), state: 'sending' };
      this.sent.push(one);
    }
    this.#setState(one, 'sending');
    const { method, path, body } = requestOf(this.#id, messageId, text);
    try {
      await call(method, path, { body, limit: 'long' });
      this.#setState(one, 'stored');
    } catch (failure) {
      const [state, note] = endOf(failure);
      this.#setState(one, state, note);
    }
  }

  forget(messageId) {
    this.sent = this.sent.filter((one) => one.messageId !== messageId);
    this.#changed();
  }

  #setState(one, state, note) {
    one.state = state;
    one.note = note;
    this.#changed();
  }

  #changed() {
    this.#keep();
    this.#listeners.forEach((listener) => listener());
  }

  #keep() {
    this.sent = this.sent.slice(-MAX_SENT);
    if (boxes.get(this.#id) !== this) {
      return; // the session ended while a message was being sent
    }
    try {
      if (this.draft === '' && this.sent.length === 0) {
        localStorage.removeItem(PERSONAL + this.#id);
      } else {
        localStorage.setItem(PERSONAL + this.#id, asciiJson({ draft: this.draft, sent: this.sent }));
      }
    } catch {
      // storage is blocked or full: the outbox stays in memory
    }
  }
}

/** Error codes after which the agent may have received the message. */
const MAY_BE_THERE = new Set(['NO_RESPONSE', 'AGENT_TIMEOUT', 'UNAVAILABLE']);

/** Error codes for an error response of the agent, which the history contains. */
const AGENT_ANSWERED = new Set(['AGENT_HTTP_ERROR', 'BAD_AGENT_RESPONSE']);

/**
 * Returns the state of a message after an error.
 *
 * @param {{code?: string, detail?: string, message: string}} failure
 * @returns {[state: string, note: string]}
 */
export function endOf(failure) {
  const state = MAY_BE_THERE.has(failure.code) ? 'uncertain' : AGENT_ANSWERED.has(failure.code) ? 'failed' : 'refused';
  return [state, failure.detail ?? failure.message];
}

/** Returns a random UUID. `crypto.randomUUID` does not exist on plain http. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
