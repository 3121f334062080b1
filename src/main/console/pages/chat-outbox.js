/**
 * What a person writes and sends in this browser, kept per workspace until the server has it: the draft, and each
 * message with its id, so that a repeat is the same message.
 */
import { onChange } from '../net/session.js';
import { asciiJson } from '../text/shell.js';

const PREFIX = 'muster-chat:';
const MAX_SENT = 100;
const boxes = new Map();

/**
 * The box of a workspace; the same one for every page that asks.
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

// signing out clears the storage, and who signs in next must not find what is in memory
onChange((session) => session === null && boxes.clear());

/** The request of a message, as it is sent and as *as curl* shows it. */
export function requestOf(id, messageId, text) {
  return {
    method: 'POST',
    path: `/workspaces/${encodeURIComponent(id)}/a2a`,
    body: { jsonrpc: '2.0', id: messageId, method: 'message/send', params: { message: { role: 'user', messageId, parts: [{ kind: 'text', text }] } } },
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
      const kept = JSON.parse(localStorage.getItem(PREFIX + id) ?? '{}');
      this.draft = typeof kept.draft === 'string' ? kept.draft : '';
      this.sent = Array.isArray(kept.sent) ? kept.sent : [];
    } catch {
      // another format, or no storage: it begins empty
    }
    // a page that was left while it sent does not know what became of it
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
   * @param {string} [messageId] of the message that is sent again
   */
  async send(call, text, messageId = newId()) {
    let one = this.sent.find((known) => known.messageId === messageId);
    if (one?.state === 'sending') {
      return;
    }
    if (one === undefined) {
      one = { messageId, text, at: new Date().toISOString(), state: 'sending' };
      this.sent.push(one);
    }
    this.#become(one, 'sending');
    const { method, path, body } = requestOf(this.#id, messageId, text);
    try {
      await call(method, path, { body });
      this.#become(one, 'stored');
    } catch (failure) {
      const [state, note] = endOf(failure);
      this.#become(one, state, note);
    }
  }

  forget(messageId) {
    this.sent = this.sent.filter((one) => one.messageId !== messageId);
    this.#changed();
  }

  #become(one, state, note) {
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
    try {
      if (this.draft === '' && this.sent.length === 0) {
        localStorage.removeItem(PREFIX + this.#id);
      } else {
        localStorage.setItem(PREFIX + this.#id, asciiJson({ draft: this.draft, sent: this.sent }));
      }
    } catch {
      // no storage, or none left: the page itself still knows
    }
  }
}

/** Codes after which the agent may have the message, although the sender got no answer. */
const MAY_BE_THERE = new Set(['NO_RESPONSE', 'AGENT_TIMEOUT', 'UNAVAILABLE']);

/** Codes with which the agent itself has answered; the history shows what it said. */
const AGENT_ANSWERED = new Set(['AGENT_HTTP_ERROR', 'BAD_AGENT_RESPONSE']);

/**
 * What an error of a send means for the message.
 *
 * @param {{code?: string, detail?: string, message: string}} failure
 * @returns {[state: string, note: string]}
 */
export function endOf(failure) {
  const state = MAY_BE_THERE.has(failure.code) ? 'uncertain' : AGENT_ANSWERED.has(failure.code) ? 'failed' : 'refused';
  return [state, failure.detail ?? failure.message];
}

/** A random UUID, also on plain http, where `crypto.randomUUID` does not exist. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
