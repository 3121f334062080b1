import * as clock from '/src/net/clock.js';
import { ago, clockTime, counted, dated, duration, exact, instantOf, localOf, useZone } from '/src/text/time.js';
import { equal, ok } from './assert.js';

export function writesAges() {
  equal([0, 59, 60, 126, 3599, 3600, 86_399, 86_400, -5].map(duration), ['0 s', '59 s', '1 m', '2 m 6 s', '59 m 59 s', '1 h', '23 h', '1 d', '0 s']);
  equal(ago(Date.parse('2026-11-20T00:00:00Z'), Date.parse('2026-11-25T00:00:00Z')), '2026-11-20');
  equal(counted(1, 'message') + counted(2314, 'message'), '1 message2,314 messages');
}

export function writesMomentsInTheChosenZone() {
  const at = '2026-11-25T02:14:03Z';
  equal([exact(at), clockTime(at)], ['2026-11-25 02:14:03 UTC', '02:14:03']);
  useZone('Asia/Kathmandu');
  equal(exact(at), '2026-11-25 07:59:03 GMT+5:45');
  useZone('no/zone');
  equal(exact(at), '2026-11-25 02:14:03 UTC');
  equal(exact('garbage'), '–');
}

export function writesTheDateOfATimeThatIsHalfADayAway() {
  const now = Date.parse('2026-11-25T02:16:09Z');
  equal([now - 43_199_000, now - 43_200_000, now + 60_000, now + 86_400_000].map(ms => dated(ms, now)),
    ['14:16:10', '2026-11-24 14:16:09', '02:17:09', '2026-11-26 02:16:09']);
  useZone('Asia/Kathmandu');
  equal(dated(Date.parse('2026-11-20T20:00:00Z'), now), '2026-11-21 01:45:00');
  useZone('utc');
}

export function readsATypedTimeInTheChosenZone() {
  useZone('Asia/Kathmandu');
  equal([instantOf('2026-11-25T07:59:03'), localOf('2026-11-25T02:14:03Z')],
    ['2026-11-25T02:14:03.000Z', '2026-11-25T07:59:03']);
  useZone('Europe/Berlin'); // an hour before its summer ends, and an hour after
  equal(['2026-10-25T01:30:00', '2026-10-25T03:30:00'].map(instantOf),
    ['2026-10-24T23:30:00.000Z', '2026-10-25T02:30:00.000Z']);
  useZone('utc');
  equal([instantOf('2026-11-25T02:14:03'), instantOf('soon')], ['2026-11-25T02:14:03.000Z', '']);
}

export function standsStillWhileFrozen() {
  clock.sync(Date.now() + 60_000);
  ok(Math.abs(clock.now() - Date.now() - 60_000) < 1000, 'the offset');
  clock.freeze(5);
  equal([clock.now(), clock.frozen()], [5, true]);
  ok(Math.abs(clock.estimate() - Date.now() - 60_000) < 1000, 'the estimate goes on');
  clock.thaw();
  equal(clock.frozen(), false);
}
