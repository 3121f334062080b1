import * as clock from '/src/net/clock.js';
import { equal, ok } from './assert.js';

const AT = Date.parse('2026-11-25T02:16:09Z');

/** T1: a time that was on its way for long is of the past, so the one that is furthest ahead decides. */
export function aTimeCanArriveLateButNotEarly() {
  clock.sync(0);
  clock.sync(AT);
  const early = clock.estimate();
  clock.sync(AT - 900);
  ok(clock.estimate() - early < 100 && clock.estimate() >= early, 'it was late');
  clock.sync(AT + 700);
  ok(clock.estimate() >= AT + 700, 'those before were late');
  clock.sync(undefined);
  clock.sync('soon');
  ok(Math.abs(clock.estimate() - AT - 700) < 500, 'no time changes nothing');
}

/** The machine's clock may be set, and the server's. */
export function aTimeThatNoDelayExplainsCounts() {
  clock.sync(AT);
  for (const at of [AT - 3_600_000, AT + 7000, AT - 7000]) {
    clock.sync(at);
    ok(Math.abs(clock.estimate() - at) < 500, `${new Date(clock.estimate()).toISOString()} instead of ${new Date(at).toISOString()}`);
  }
}

/** Clocks drift apart, so what was measured long ago counts no more. */
export function theBestOfTheLastMinuteDecides() {
  const { now } = performance;
  let ahead = 0;
  performance.now = () => now.call(performance) + ahead;
  try {
    clock.sync(0);
    clock.sync(AT);
    for (ahead = 10_000; ahead <= 50_000; ahead += 10_000) clock.sync(AT - 400);
    ok(clock.estimate() >= AT, 'less than a minute');
    for (; ahead <= 100_000; ahead += 10_000) clock.sync(AT - 400);
    ok(clock.estimate() < AT, 'more');
  } finally {
    performance.now = now;
  }
}

export function aFrozenClockStands() {
  clock.freeze(AT);
  equal([clock.now(), clock.frozen()], [AT, true]);
  clock.freeze(AT + 1);
  equal(clock.now(), AT + 1);
  clock.thaw();
  ok(!clock.frozen());
}
