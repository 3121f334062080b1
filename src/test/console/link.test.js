// The link judges whether what the page shows is of now: T1 and T2 of docs/internals/console.md.
import * as clock from '/src/net/clock.js';
import { Link, PAUSES, wait } from '/src/net/link.js';
import { equal, ok, until } from './assert.js';

const PACE = 100; // times faster than real
const FAST = { quiet: PAUSES.quiet / PACE, answer: PAUSES.answer / PACE, again: PAUSES.again.map(ms => ms / PACE) };
const AT = Date.parse('2026-11-25T02:16:09Z');
const SLEEP = PAUSES.quiet + PAUSES.answer;

const silent = signal => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const refused = status => async () => {
  throw { status };
};
const tick = at => ({ seq: 1, at: new Date(at).toISOString(), events: [] });

/** Makes a link whose stream is open and has just had a tick. `opened` counts how often its socket was. */
function make(probe = silent, pauses = FAST) {
  const made = unopened(probe, pauses);
  made.link.opened();
  return made;
}

function unopened(probe, pauses) {
  clock.thaw();
  clock.sync(0);
  clock.sync(AT);
  const link = new Link({ probe: (...args) => (link.asks++, link.probe(...args)), pauses });
  const socket = { isOpen: true, opened: 1, connect: () => socket.isOpen || (socket.isOpen = true, socket.opened++), drop: () => (socket.isOpen = false) };
  Object.assign(link, { probe, asks: 0, socket, states: [] });
  link.attach(socket);
  const stop = link.start();
  link.onState(state => link.states.push(state));
  return { link, socket, stop };
}

/** Lets the page sleep: the clocks go on, its timers do not. Calls `act` in the moment it wakes up. */
async function slept(ms, act) {
  const { now } = Date;
  Date.now = () => now() + ms;
  try {
    await act();
  } finally {
    Date.now = now;
  }
}

export function waitsTwoSecondsAndThenLonger() {
  equal([0, 1, 2, 3, 9].map(attempt => wait(PAUSES.again, attempt, 0.5)), [2000, 4000, 8000, 15_000, 15_000]);
  equal([wait(PAUSES.again, 0, 0), wait(PAUSES.again, 3, 1)], [1500, 18_750]);
  equal([PAUSES.quiet, PAUSES.answer], [12_000, 3000]);
}

/** T1: the present tense rests on a sign of the server at most 15 s old. */
export async function aHangIsSaidAndTheClockIsFrozenAtTheLastSign() {
  const { link, socket, stop } = make();
  const from = performance.now();
  link.message(tick(AT));
  const signed = link.receivedAt;
  await until(() => link.state() === 'not_answering', 'the state');
  ok(performance.now() - from >= (PAUSES.quiet + PAUSES.answer) / PACE - 2, 'not before it was asked');
  equal([clock.now(), clock.frozen(), link.receivedAt, link.isAway(), socket.isOpen, link.isCurrent()], [signed, true, signed, true, false, false]);
  ok(link.since > signed, 'since the first question');
  await until(() => link.asks >= 3, 'further questions');
  link.probe = async () => 0;
  await until(() => link.state() === 'reconnecting', 'a sign');
  equal([socket.isOpen, socket.opened, clock.frozen()], [true, 2, true], 'the socket is opened, and nothing is of now before it is');
  link.opened();
  equal([link.state(), clock.frozen(), link.isCurrent()], ['live', false, true]);
  stop();
}

export async function oneAnswerInTimeIsEnough() {
  const { link, stop } = make(async () => link.message(tick(AT)), PAUSES);
  for (const n of [1, 2, 3]) {
    await slept(PAUSES.quiet * n, async () => {
      link.look();
      await new Promise(resolve => setTimeout(resolve));
    });
  }
  equal([link.asks, link.states], [3, ['live']]);
  stop();
}

export async function eachSignOfTheServerCounts() {
  for (const sign of [link => link.message(tick(AT)), link => link.heard()]) {
    const { link, stop } = make(silent, PAUSES);
    for (let seconds = 10; seconds <= 60; seconds += 10) {
      await slept(1000 * seconds, () => {
        link.look();
        sign(link);
      });
    }
    equal(link.asks, 0);
    stop();
  }
}

/** A question that nobody answers says nothing when there was another sign meanwhile. */
export async function aSignWhileTheServerIsAskedCounts() {
  const { link, stop } = make(silent, { ...FAST, quiet: 1000, answer: 1000 });
  link.failed();
  equal(link.asks, 1);
  link.heard();
  link.probe = async () => 0;
  await until(() => link.asks === 2, 'the next question');
  equal(link.states, ['live']);
  stop();
}

/** T1: behind a proxy without WebSocket, nothing is later than what was loaded. */
export function withoutAStreamTheDataIsOfWhenItWasLoaded() {
  const { link, stop } = unopened(async () => 0, PAUSES);
  link.loaded(AT - 20_000);
  equal([link.state(), clock.frozen(), link.receivedAt], ['connecting', false, 0]);
  link.lost(Date.now() + 1000);
  equal([link.state(), clock.frozen(), clock.now(), link.receivedAt], ['reconnecting', true, AT - 20_000, AT - 20_000]);
  link.opened();
  equal([link.state(), clock.frozen()], ['live', false]);
  stop();
}

/** T1: after a sleep it is judged by the clocks, at once, whatever the timers do. */
export async function nothingIsOfNowAfterASleep() {
  const { link, socket, stop } = make(silent, PAUSES);
  await slept(SLEEP - 2000, () => document.dispatchEvent(new Event('visibilitychange')));
  equal([link.state(), link.asks], ['live', 1], 'not so long');
  stop();
  const second = make(silent, PAUSES);
  await slept(SLEEP, () => {
    document.dispatchEvent(new Event('visibilitychange'));
    equal([second.link.state(), clock.now(), second.link.asks], ['checking', second.link.receivedAt, 1]);
    second.link.heard();
    equal([second.link.state(), second.socket.opened], ['reconnecting', 2]);
  });
  second.stop();
  ok(socket.opened === 1);
}

/** The timers of a hidden tab come once a minute: what they find is judged at once, before the answer is over. */
export async function aHiddenTabKnowsWithItsNextTimer() {
  const { link, stop } = make(silent, PAUSES);
  await slept(60_000, () => {
    link.look();
    equal([link.state(), link.asks], ['checking', 1]);
  });
  stop();
}

/** T1: a server that answers slowly answers: until it is over, nothing else is said. */
export async function aSlowAnswerIsAnAnswer() {
  let answer = null;
  const { link, stop } = make(() => new Promise(resolve => answer = resolve), { ...FAST, answer: 60_000 });
  await until(() => answer !== null, 'the question');
  equal([link.state(), link.states, link.isAway()], ['live', ['live'], false]);
  answer(AT);
  await until(() => link.asks === 2, 'the next question');
  equal(link.states, ['live']);
  stop();
}

/** T1: other answers do not make a stream that has no ticks one of now (R17.1). */
export async function aStreamWithoutTicksIsOpenedAgain() {
  const { link, socket, stop } = make(async () => 0);
  await until(() => socket.opened === 2, 'opened again');
  equal(link.state(), 'reconnecting');
  stop();
}

export async function aClosedStreamIsAskedAbout() {
  for (const [probe, state] of [[refused(401), 'signed_out'], [refused(503), 'database_away'], [refused(0), 'reconnecting'], [silent, 'not_answering'], [async () => 0, 'reconnecting']]) {
    const { link, stop } = make(probe);
    link.lost(0);
    equal([link.state(), clock.frozen()], ['reconnecting', true]);
    await until(() => link.state() === state && link.asks >= 1, state);
    stop();
  }
}

export async function asksNothingOnceSignedOut() {
  const { link, socket, stop } = make(refused(401));
  link.lost(0);
  await until(() => link.state() === 'signed_out');
  equal(socket.isOpen, false);
  await new Promise(resolve => setTimeout(resolve, 2 * FAST.quiet));
  equal(link.asks, 1);
  stop();
}

export async function nothingIsAskedWithoutASession() {
  const { link, stop } = make();
  stop();
  await new Promise(resolve => setTimeout(resolve, 2 * FAST.quiet));
  equal([link.asks, link.state(), clock.frozen()], [0, 'connecting', false]);
}

export function saysThatTheDatabaseIsAway() {
  const { link, stop } = make();
  link.databaseAway(true);
  equal([link.state(), clock.frozen()], ['database_away', true]);
  const signed = link.receivedAt;
  link.message(tick(AT + 1000));
  equal([link.receivedAt, clock.now()], [signed, signed], 'a tick is no data');
  link.message({ ...tick(AT + 2000), events: [{}] });
  equal([link.state(), clock.now() > signed, clock.now() === link.receivedAt], ['database_away', true, true], 'what was read before');
  link.databaseAway(false);
  equal([link.state(), clock.frozen()], ['live', false]);
  stop();
}

export function saysThatItIsBehind() {
  const { link, stop } = make();
  for (const [count, state] of [[5001, 'behind'], [600, 'behind'], [499, 'live'], [600, 'live']]) {
    link.waiting(count);
    equal(link.state(), state, count);
  }
  stop();
}

export async function triesAtOnceWhenAsked() {
  const { link, stop } = make(silent, { ...FAST, again: [60_000] });
  await until(() => link.state() === 'not_answering', 'the state');
  const { asks } = link;
  link.probe = async () => 0;
  link.now();
  await until(() => !link.isAway(), 'the answer');
  equal(link.asks, asks + 1);
  stop();
}

/** The pages read again what they could not read meanwhile. */
export async function tellsThePagesWhenTheServerIsBack() {
  const { link, stop } = make();
  let times = 0;
  document.addEventListener('muster-back', () => times++, { once: true });
  await until(() => link.isAway(), 'away');
  equal(times, 0);
  link.heard();
  equal(times, 1);
  stop();
}
