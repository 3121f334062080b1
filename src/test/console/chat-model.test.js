import { equal } from './assert.js';
import { maySendAgain, ordinal, turnsOf, withNewest, withOlder, wordsOf } from '/src/pages/chat-model.js';
import { endOf } from '/src/pages/chat-outbox.js';

const T0 = '2026-11-21T20:00:00.000Z';
const T4 = '2026-11-21T20:00:04.100Z';
const user = { id: 'r1:user', role: 'user', content: 'Hello?', timestamp: T0 };
const row = (extra = {}) => ({ id: 'r1', seq: 1, source: 'canvas_user', method: 'message/send', data: { message_id: 'm1' }, duration_ms: null, created_at: T0, ...extra });
const nothing = { messages: [], rows: [], reachedEnd: true, states: new Map(), sent: [] };
const only = (known) => turnsOf({ ...nothing, ...known })[0];
const words = (known, mode = 'push') => wordsOf(only(known), mode);
const state = (status, place) => new Map([['r1', { status, place }]]);

export function isBeingSentUntilTheServerHasIt() {
  equal(words({ sent: [{ messageId: 'm1', text: 'Hello?', at: T0, state: 'sending' }] }), 'sending');
}

export function isStoredOnceItsRowIsThere() {
  equal(words({ messages: [user], rows: [row()], sent: [{ messageId: 'm1', text: 'Hello?', at: T0, state: 'sending' }] }), 'stored');
  equal(words({ messages: [user], rows: [row()], states: state('stored') }, 'poll'), 'stored: the agent gets it when it next reads its feed');
}

export function isReadOnceTheAgentHasReadItsRow() {
  const notice = (seq) => ({ id: `r${seq}`, seq, source: 'self', method: 'notify', response_body: { result: 'Hi' }, created_at: T4 });
  const at = (more) => words({ messages: [user], rows: [row()], states: state('stored'), readSeq: 1, ...more }, 'poll');
  equal(at({ readSeq: 0 }), 'stored: the agent gets it when it next reads its feed');
  equal(at({}), 'read by the agent');
  equal(at({ readAt: new Map([['r1', Date.parse('2026-11-21T22:41:09Z')]]) }), 'read by the agent 22:41');
  equal(at({ rows: [notice(2), row()] }), 'read; it wrote afterwards');
  equal(at({ rows: [row({ seq: 3 }), notice(2)], readSeq: 3 }), 'read by the agent', 'it wrote before:');
  equal(at({ rows: [notice(2), row()], readSeq: 0 }), 'stored: the agent gets it when it next reads its feed');
}

export function isSignedByThePersonWhoWroteIt() {
  const authors = (known) => turnsOf({ ...nothing, ...known }).map(({ author }) => author);
  equal(authors({ messages: [{ ...user, author: 'Ann' }], rows: [row()], self: 'Bo', sent: [{ messageId: 'm2', text: 'Mine', at: T4, state: 'sending' }] }), ['Ann', 'Bo']);
}

export function saysItsPlaceInTheQueue() {
  equal(words({ messages: [user], rows: [row()], states: state('waiting', 2), waiting: 5 }), 'waiting in the queue (2nd of 5)');
}

export function isWithTheAgentWhileItIsDelivered() {
  equal(words({ messages: [user], rows: [row()], states: state('delivering') }), 'with the agent');
}

export function saysHowLongTheAnswerTook() {
  equal(words({ messages: [user, { id: 'r1:agent', role: 'agent', content: 'Hi', timestamp: T4 }], rows: [row({ duration_ms: 4100 })] }), 'answered in 4.1 s');
  equal(words({ messages: [user, { id: 'r1:agent', role: 'agent', content: 'Hi', timestamp: T4 }], rows: [row({ duration_ms: 119_700 })] }), 'answered in 2 m');
  equal(words({ messages: [user, { id: 'r1:agent', role: 'agent', content: 'Hi', timestamp: T4 }], rows: [row({ duration_ms: 59_970 })] }), 'answered in 1 m');
}

export function takesANotificationThatNamesItForItsAnswer() {
  const rows = [{ id: 'r2', seq: 2, source: 'self', method: 'notify', response_body: { result: 'Hi', reply_to: 'm1' }, created_at: T4 }, row()];
  const messages = [user, { id: 'r2:agent', role: 'agent', content: 'Hi', timestamp: T4 }];
  const turns = turnsOf({ ...nothing, messages, rows });
  equal(turns.map((turn) => turn.role), ['user', 'agent']);
  equal(wordsOf(turns[0], 'poll'), 'answered in 4.1 s');
}

export function knowsRefusedFromUncertainAfterAReload() {
  const failed = { id: 'r1:agent', role: 'system', content: 'timeout', timestamp: T0 };
  for (const [status, expected] of [
    ['uncertain', 'uncertain: the agent may have got it'],
    ['refused', 'refused: the agent did not get it'],
    ['answered', 'the agent answered with an error'],
  ]) {
    const turn = only({ messages: [user, failed], rows: [row()], states: state(status) });
    equal([wordsOf(turn, 'push'), turn.note, maySendAgain(turn)], [expected, 'timeout', true]);
  }
}

export function isBeingSentAgain() {
  const failed = { id: 'r1:agent', role: 'system', content: 'timeout', timestamp: T0 };
  equal(only({ messages: [user, failed], rows: [row()], states: state('uncertain'), sent: [{ messageId: 'm1', text: 'Hello?', at: T0, state: 'sending' }] }).state, 'sending');
}

export function keepsWhatTheServerNeverStored() {
  const turns = turnsOf({ ...nothing, messages: [user], rows: [row()], sent: [{ messageId: 'm2', text: 'Again', at: T4, state: 'refused', note: 'paused' }] });
  equal(turns.map(({ text, state, note }) => [text, state, note]), [['Hello?', 'stored', undefined], ['Again', 'refused', 'paused']]);
}

export function showsAMessageOnceAndUnderTheSameKey() {
  const sent = [{ messageId: 'm1', text: 'Hello?', at: T0, state: 'sending' }];
  const before = turnsOf({ ...nothing, sent });
  const after = turnsOf({ ...nothing, messages: [user], rows: [row()], sent });
  equal([before.length, after.length, before[0].key === after[0].key], [1, 1, true]);
}

export function leavesAStoredMessageOfAnOlderPageToThatPage() {
  const sent = [{ messageId: 'm0', text: 'First', at: '2026-11-21T19:00:00.000Z', state: 'stored' }];
  const texts = (known) => turnsOf({ ...nothing, messages: [user], rows: [row()], sent, ...known }).map(({ text }) => text);
  equal(texts({ reachedEnd: false }), ['Hello?']);
  equal(texts({ reachedEnd: true }), ['Hello?', 'First']);
  equal(texts({ reachedEnd: false, sent: [{ ...sent[0], state: 'uncertain' }] }), ['Hello?', 'First']);
}

export function joinsPagesWithoutAGapOrADuplicate() {
  const page = (reachedEnd, ...ids) => ({ messages: ids.map((id) => ({ id })), rows: ids.map((id) => ({ id })), reachedEnd });
  const ids = ({ messages, rows, reachedEnd }) => [messages.map(({ id }) => id).join(''), rows.map(({ id }) => id).join(''), reachedEnd];
  equal(ids(withNewest(undefined, page(false, 'c', 'd'))), ['cd', 'cd', false]);
  const known = withOlder(page(false, 'c', 'd'), page(true, 'a', 'b'));
  equal(ids(known), ['abcd', 'abcd', true]);
  equal(ids(withNewest(known, page(false, 'd', 'e'))), ['abcde', 'abcde', true]);
  equal(ids(withNewest(known, page(false, 'f', 'g'))), ['fg', 'fg', false]);
}

export function writesOrdinals() {
  equal([1, 2, 3, 4, 11, 12, 13, 21, 102].map(ordinal), ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd']);
}

export function knowsWhatAnErrorMeansForTheMessage() {
  const end = (code) => endOf({ code, detail: 'why', message: '' })[0];
  equal(['AGENT_TIMEOUT', 'NO_RESPONSE', 'UNAVAILABLE'].map(end), ['uncertain', 'uncertain', 'uncertain']);
  equal(['AGENT_UNREACHABLE', 'WORKSPACE_PAUSED', 'QUEUE_FULL', 'VALIDATION_FAILED'].map(end), ['refused', 'refused', 'refused', 'refused']);
  equal(end('AGENT_HTTP_ERROR'), 'failed');
}
