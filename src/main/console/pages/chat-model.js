/**
 * Joins the messages of a chat from the history, the feed, the timeline and the messages that this browser has sent.
 * The functions are pure; the page sends the requests.
 *
 * The states of a message are `sending → stored → waiting → agent → answered`, for an agent that polls
 * `sending → stored → read → answered`; the other final states are `refused`, `uncertain` and `failed`.
 */

import { clockTime, duration } from '../text/time.js';

/**
 * One message of the chat.
 *
 * @typedef {object} Turn
 * @property {string} key stays the same while the message is shown
 * @property {'user' | 'agent' | 'system'} role
 * @property {string} text
 * @property {string} at time, RFC 3339
 * @property {Array<{uri?: string, name?: string}>} files
 * @property {string} [author] name of the person; only of a message of a person, and where it is known
 * @property {string} [messageId] only of a message of a person
 * @property {string} [rowId] id of its row in the feed, and of its queue entry
 * @property {string} [state]
 * @property {string} [note] why the message was refused or failed
 * @property {number} [tookMs] time until the answer
 * @property {boolean} [wrote] whether the agent has notified people after a message that it has read
 * @property {number} [readAt] when this page saw that it was read, in ms
 * @property {number} [place] position in the queue, from 1
 * @property {number} [of] number of messages in the queue of the workspace
 */

/**
 * Messages in order without a gap, with their rows.
 *
 * @typedef {object} Known
 * @property {Array<object>} messages of `chat-history`, oldest first
 * @property {Array<object>} rows rows of the feed (`source=canvas`)
 * @property {boolean} reachedEnd whether no older message is kept
 * @property {number} readSeq the number of the row up to which the agent has read; 0 unless it polls
 */

/**
 * Joins the newest page to what was read before.
 *
 * @param {Known | undefined} known
 * @param {Known} page
 * @returns {Known} the page alone if messages between the two are missing
 */
export function withNewest(known, page) {
  const messages = union(known?.messages ?? [], page.messages);
  if (known === undefined || messages.length === known.messages.length + page.messages.length) {
    return page;
  }
  return { ...page, messages, rows: union(known.rows, page.rows), reachedEnd: known.reachedEnd };
}

/** Joins a page of older messages to what was read before. @param {Known} known @param {Known} page @returns {Known} */
export function withOlder(known, page) {
  return { ...known, messages: union(page.messages, known.messages), rows: union(page.rows, known.rows),
    reachedEnd: page.reachedEnd };
}

/** Returns the objects of both lists; of two with the same id, the one of the second list. */
function union(first, second) {
  const ids = new Set(second.map(({ id }) => id));
  return [...first.filter(({ id }) => !ids.has(id)), ...second];
}

/**
 * Joins the sources.
 *
 * @param {object} known
 * @param {Known['messages']} known.messages
 * @param {Known['rows']} known.rows
 * @param {Known['reachedEnd']} known.reachedEnd
 * @param {Known['readSeq']} [known.readSeq]
 * @param {Map<string, number>} [known.readAt] row id → when this page saw that it was read
 * @param {Map<string, {status: string, place?: number}>} known.states row id → state in the timeline
 * @param {Array<object>} known.sent messages that this browser has sent, oldest first
 * @param {string} [known.self] name of the person who uses this browser
 * @param {number} [known.waiting] number of messages in the queue of the workspace
 * @returns {Turn[]} oldest first
 */
export function turnsOf({ messages, rows, reachedEnd, readSeq = 0, readAt, states, sent, waiting, self }) {
  const rowById = new Map(rows.map((row) => [row.id, row]));
  const answers = answersByMessage(rows);
  const lastNotice = Math.max(0, ...rows.filter(({ method }) => method === 'notify').map(({ seq }) => seq));
  const sentById = new Map(sent.map((one) => [one.messageId, one]));
  const ends = new Map(messages.filter(({ role, id }) => role !== 'user' && rowById.get(rowOf(id))?.source !== 'self')
    .map((message) => [rowOf(message.id), message]));
  const turns = [];
  const stored = new Set();
  for (const message of messages) {
    const rowId = rowOf(message.id);
    const turn = { key: message.id, role: message.role, text: message.content, at: message.timestamp,
      files: message.attachments ?? [], author: message.author, rowId };
    if (message.role === 'user') {
      const row = rowById.get(rowId);
      turn.messageId = row?.data?.message_id ?? undefined;
      const own = sentById.get(turn.messageId);
      if (own !== undefined) {
        stored.add(turn.messageId);
        turn.key = turn.messageId; // the key that it had before it was stored
      }
      Object.assign(turn, stateOf({ row, end: ends.get(rowId), known: states.get(rowId),
        reply: answers.get(turn.messageId), own, waiting, message,
        read: row?.seq <= readSeq ? { wrote: lastNotice > row.seq, readAt: readAt?.get(rowId) } : null }));
      turns.push(turn);
    } else if (message.role !== 'system' || !isOfUser(messages, rowId)) {
      turns.push(turn);
    }
  }
  const isOlder = ({ state, at }) => state === 'stored' && !reachedEnd
    && Date.parse(at) < Date.parse(messages[0]?.timestamp);
  for (const one of sent) {
    if (!stored.has(one.messageId) && !isOlder(one)) {
      turns.push({ key: one.messageId, role: 'user', text: one.text, at: one.at, files: [], author: self,
        messageId: one.messageId,
        state: one.state, note: one.note });
    }
  }
  return turns;
}

/**
 * Whether the history contains the message that an error belongs to. The error is then shown with that message, not by
 * itself.
 */
const isOfUser = (messages, rowId) => messages.some((one) => one.id === `${rowId}:user`);

/** @param {string} id of a message @returns {string} the id of its row */
export const rowOf = (id) => id.slice(0, id.lastIndexOf(':'));

/** Returns message id → the first notification that answers it, by `reply_to`. */
function answersByMessage(rows) {
  const found = new Map();
  for (const row of rows) {
    const answered = row.method === 'notify' ? row.response_body?.reply_to : undefined;
    if (answered && !(found.get(answered)?.seq < row.seq)) {
      found.set(answered, row);
    }
  }
  return found;
}

function stateOf({ row, end, known, reply, own, waiting, message, read }) {
  if (end?.role === 'agent') {
    return { state: 'answered', tookMs: row?.duration_ms ?? Date.parse(end.timestamp) - Date.parse(message.timestamp) };
  }
  if (reply) {
    return { state: 'answered', tookMs: Date.parse(reply.created_at) - Date.parse(message.timestamp) };
  }
  const note = end?.content;
  if (own?.state === 'sending' && (end !== undefined || known?.status === 'refused' || known?.status === 'uncertain')) {
    return { state: 'sending' }; // sent again under the same id
  }
  switch (known?.status) {
    case 'waiting': return { state: 'waiting', place: known.place, of: Math.max(waiting ?? 0, known.place ?? 0), note };
    case 'delivering': return { state: 'agent' };
    case 'refused':
    case 'uncertain': return { state: known.status, note };
    default: return end !== undefined ? { state: 'failed', note } : read ? { state: 'read', ...read }
      : { state: 'stored', note };
  }
}

/** Returns the ordinal of a number: 1st, 2nd, 3rd, 4th, 11th. */
export function ordinal(n) {
  const last = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return `${n}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`;
}

/**
 * Returns the text for a message's state.
 *
 * @param {Turn} turn
 * @param {string} mode the workspace's delivery mode
 */
export function wordsOf(turn, mode) {
  switch (turn.state) {
    case 'sending': return 'sending';
    case 'stored': return mode === 'poll' ? 'stored: the agent gets it when it next reads its feed' : 'stored';
    case 'waiting': return turn.place
      ? `waiting in the queue (${ordinal(turn.place)} of ${turn.of})` : 'waiting in the queue';
    case 'agent': return 'with the agent';
    case 'read': return turn.wrote ? 'read; it wrote afterwards'
      : `read by the agent${turn.readAt ? ` ${clockTime(turn.readAt).slice(0, 5)}` : ''}`;
    case 'answered': return `answered in ${took(turn.tookMs)}`;
    case 'refused': return 'refused: the agent did not get it';
    case 'uncertain': return 'uncertain: the agent may have got it';
    default: return 'the agent answered with an error';
  }
}

/** Whether the user may send a message again under the same id. */
export function maySendAgain(turn) {
  return turn.messageId !== undefined && ['refused', 'uncertain', 'failed'].includes(turn.state);
}

function took(ms) {
  if (!(ms >= 0)) {
    return 'no time';
  }
  return ms < 950 ? `${Math.round(ms)} ms` : ms < 59_950 ? `${(ms / 1000).toFixed(1)} s`
    : duration(Math.round(ms / 1000));
}
