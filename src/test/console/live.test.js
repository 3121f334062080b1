// LiveFleet with a server and a stream that the test plays: when it reads the fleet anew, and what it does meanwhile.
import { LiveFleet } from '/src/fleet/live.js';
import * as clock from '/src/net/clock.js';
import { answerOf, changed } from './answers.js';
import { equal, ok, until } from './assert.js';
import { fleet, msf1, uuid } from './fixtures.js';

const AT = '2026-11-25T02:16:09Z';
const SEQ = 7;
const count = words => words.reduce((sum, word) => ({ ...sum, [word]: (sum[word] ?? 0) + 1 }), {});
const event = (e, i, more = {}) => ({ e: `WORKSPACE_${e}`, w: uuid(i), at: AT, since: AT, status: e.toLowerCase(), ...more });

const summaryOf = rows => changed(answerOf('fleetSummary'), { seq: SEQ, at: AT, total: rows.length, worst: [], stalled: rows.filter(({ stalled }) => stalled).length,
  status: count(rows.map(({ status }) => status)), reason: count(rows.map(({ reason }) => reason).filter(Boolean)) });
const record = (i, more = {}) => changed(answerOf('fleetRows')[0], { id: uuid(i), status: 'online', degraded_reason: null, status_since: AT, ...more });

/** Starts a fleet of `rows`. `server` holds what it answers, `calls` the paths; `play` sends a batch of events. */
async function start(rows) {
  const server = { rows, summary: summaryOf(rows) };
  const calls = [];
  let take;
  const opened = [];
  const stream = { subscribe: fn => ((take = fn), () => {}), open: seq => opened.push(seq), close: () => opened.push('closed') };
  let told;
  const link = { state: () => 'live', onState: fn => ((told = fn), () => {}), databaseAway() {}, waiting() {}, loaded() {} };
  const call = async (method, path, { query } = {}) => {
    calls.push(path);
    return path === '/console/fleet' ? { bytes: msf1(server.rows, { seq: SEQ }) }
      : path === '/console/rows' ? server.records.filter(({ id }) => query.ids.includes(id)) : server.summary;
  };
  const live = new LiveFleet({ call, stream, link });
  await live.start();
  await settled();
  return { live, server, opened, play: (seq, events) => take({ seq, events }), tell: state => told(state), paths: calls, reads: () => calls.filter(path => path === '/console/fleet').length };
}

/** Returns the ids of each request for rows from now on. */
function rowsAsked(live) {
  const asked = [];
  const { call } = live;
  live.call = (method, path, options) => (path === '/console/rows' && asked.push(options.query.ids.split(',')), call(method, path, options));
  return asked;
}

/** Waits for the answers, which are resolved promises. */
const settled = () => new Promise(resolve => setTimeout(resolve));

/** Calls `act` while a reload waits for nothing, and lets its answers come. Then stops the fleet. */
async function atOnce(live, act) {
  live.loadedAt = -Infinity;
  try {
    await act();
    await settled();
    await settled();
  } finally {
    live.stop();
  }
}

export async function eachStatusThatDiffersTwiceReadsTheFleetAnew() {
  for (const [mine, theirs] of [['online', 'degraded'], ['degraded', 'online'], ['failed', 'paused'], ['offline', 'online'], ['awaiting_agent', 'online']]) {
    const { live, server, reads } = await start(fleet(5, i => (i === 3 ? { status: mine } : {})));
    const theirRows = fleet(5, i => (i === 3 ? { status: theirs } : {}));
    server.rows = theirRows;
    server.summary = changed(server.summary, { status: count(theirRows.map(({ status }) => status)) });
    await atOnce(live, async () => {
      await live.refresh();
      equal(reads(), 1, `${mine}: once may be a summary of a moment later`);
      await live.refresh();
      await until(() => reads() === 2, `a new snapshot for ${mine}, ${theirs}`);
    });
    equal(live.store.statusOf(3), theirs);
  }
}

export async function equalCountsAndLaterSummariesReadNothing() {
  const { live, server, reads } = await start(fleet(5, i => (i === 3 ? { status: 'degraded' } : {})));
  await atOnce(live, async () => {
    for (let i = 0; i < 3; i++) await live.refresh();
    server.summary = changed(server.summary, { seq: SEQ + 1, status: { online: 5 } }); // its event is still to come
    for (let i = 0; i < 3; i++) await live.refresh();
  });
  equal(reads(), 1);
}

export async function asksForManyUnknownRowsInUrlsThatTheServerTakes() {
  const { live, server } = await start(fleet(1));
  server.records = [];
  const asked = rowsAsked(live);
  Array.from({ length: 250 }, (_, i) => live.toRead.add(uuid(1 + i)));
  for (let i = 0; i < 3; i++) await live.refresh();
  equal(asked.map(ids => ids.length), [100, 100, 50]);
  equal(new Set(asked.flat()).size, 250);
  live.stop();
}

export async function readsTheLastHeartbeatsThatNoEventHas() {
  const heard = time => fleet(3, i => ({ heard: i === 2 ? null : time }));
  const { live, server, reads } = await start(heard('2026-11-25T02:10:00Z'));
  const touched = [];
  live.onChange(rows => touched.push(rows));
  server.rows = heard('2026-11-25T02:15:00Z');
  live.needsHeartbeats = () => true;
  await live.refresh();
  equal(reads(), 1, 'the snapshot is new');
  live.heardAt = -Infinity;
  live.store.heard[1] += 600;
  await live.refresh();
  await live.refresh();
  equal([reads(), touched.filter(rows => rows?.length > 0)], [2, [[0]]]);
  live.heardAt = -Infinity;
  live.needsHeartbeats = () => false;
  await live.refresh();
  equal(reads(), 2, 'nothing depends on heartbeats');
  equal(Array.from(live.store.heard.subarray(0, 3), seconds => seconds && seconds - Date.parse('2026-11-25T02:10:00Z') / 1000), [300, 600, 0]);
  live.stop();
}

/** T5, T8: no event says that a restart is over, so its workspace is read when its status changes. */
export async function readsWhetherARestartIsOver() {
  const { live, server, play } = await start(fleet(3, () => ({ status: 'degraded', reason: 'runtime_wedged' })));
  const { call } = live;
  let isRefused = true;
  live.call = (method, path, options) => (isRefused && path === '/console/rows' ? Promise.reject({ status: 429 }) : call(method, path, options));
  server.records = [record(1)];
  play(8, [event('RESTART_REQUESTED', 1, { status: undefined })]);
  await until(() => live.store.restartAsked(1) !== null, 'the request');
  play(9, [event('ONLINE', 1, { reason: null })]);
  await until(() => live.store.statusOf(1) === 'online', 'the status');
  await settled();
  ok(live.store.restartAsked(1) !== null, 'it was refused');
  isRefused = false;
  await live.refresh();
  equal(live.store.restartAsked(1), null, 'it is read again');
  live.stop();
}

/** The snapshot says of which workspaces a restart is pending, and not since when. */
export async function readsSinceWhenRestartsArePending() {
  const asked = '2026-11-25T02:00:00Z';
  const { live, server } = await start(fleet(1));
  server.rows = fleet(150, () => ({ restart: true }));
  server.records = server.rows.map((_, i) => record(i, { restart_requested_at: asked }));
  await live.start();
  await until(() => live.store.restartAsked(149) === asked, 'the last one');
  equal(live.store.restarting(), []);
  live.stop();
}

/** No event has the last heartbeat of a row, its queue and its task. */
export async function readsRowsThatComeIntoView() {
  const { live, server } = await start(fleet(3));
  server.records = [];
  const asked = rowsAsked(live);
  const look = async rows => {
    live.visible = () => rows;
    live.look();
    await settled();
  };
  await look([0]);
  equal(asked, [], 'the snapshot is new');
  live.loadedAt -= 12_000;
  for (const rows of [[0], [0], [0, 2]]) await look(rows);
  equal(asked, [[uuid(0)], [uuid(0), uuid(2)]]);
  live.stop();
}

export async function aGapReadsTheFleetAnew() {
  const { live, server, play, reads, opened } = await start(fleet(3));
  server.rows = fleet(4);
  server.summary = changed(server.summary, { total: 4, status: { online: 4 } });
  await atOnce(live, () => play(99, [{ e: 'REPLAY_GAP' }]));
  equal([reads(), live.store.total(), opened], [2, 4, [SEQ, 'closed', SEQ, 'closed']]);
}

export async function moreEventsThanItCanKeepReadTheFleetAnew() {
  const { live, play, reads } = await start(fleet(3));
  const many = Array.from({ length: 200_001 }, () => event('OFFLINE', 1));
  await atOnce(live, () => play(99, many));
  equal([reads(), live.pending.length, live.store.statusOf(1)], [2, 0, 'online']);
}

export async function aHiddenPageAppliesAllOfThemOnceASecond() {
  const { live, play } = await start(fleet(3000));
  const hide = is => (Object.defineProperty(document, 'hidden', { configurable: true, value: is }), document.dispatchEvent(new Event('visibilitychange')));
  let changes = 0;
  live.onChange(() => changes++);
  const real = window.setTimeout;
  let second = null;
  window.setTimeout = (fn, ms, ...args) => (ms === 1000 ? (second = fn, 0) : real.call(window, fn, ms, ...args));
  hide(true);
  try {
    play(3007, Array.from({ length: 3000 }, (_, i) => event('OFFLINE', i)));
    await new Promise(resolve => requestAnimationFrame(resolve));
    equal(changes, 0, 'not with the next frame');
    second();
    equal([changes, live.store.counts[3], live.store.seq], [1, 3000, 3007]);
  } finally {
    window.setTimeout = real;
    delete document.hidden;
    live.stop();
  }
  ok(!document.hidden);
}

export async function readsTheRecordOfAnUnknownWorkspace() {
  const { live, server, play } = await start(fleet(2));
  server.records = [record(9, { name: 'Late', status: 'degraded', degraded_reason: 'error_rate', last_heartbeat_at: AT })];
  play(8, [event('DEGRADED', 9)]);
  await until(() => live.store.rowOf(uuid(9)) >= 0, 'the record');
  equal([live.store.name(2), live.store.statusOf(2), live.store.seq], ['Late', 'degraded', 8]);
  live.stop();
}

/** A reason that changes, and a stall that ends, have no event. */
export async function reasonsAndStallsThatDifferTwiceReadTheFleetAnew() {
  for (const [mine, theirs, summary] of [
    [{ status: 'degraded', reason: 'error_rate' }, { status: 'degraded', reason: 'runtime_wedged' }, { reason: { runtime_wedged: 1 } }],
    [{ stalled: true }, {}, {}],
    [{}, { stalled: true }, { stalled: 1 }],
  ]) {
    const { live, server, reads } = await start(fleet(5, i => (i === 3 ? mine : {})));
    server.rows = fleet(5, i => (i === 3 ? theirs : {}));
    server.summary = changed(server.summary, { reason: {}, stalled: 0, ...summary });
    await atOnce(live, async () => {
      live.mismatches.times = 0; // the summary at the start had none of both
      await live.refresh();
      equal(reads(), 1, 'once may be a summary of a moment later');
      await live.refresh();
      await until(() => reads() === 2, 'a new snapshot');
    });
    equal([live.store.word('reason', 3), live.store.isStalled(3)], [theirs.reason ?? '', theirs.stalled ?? false]);
  }
}

/** T3: a snapshot may be old, so nothing is missing for certain before the events after it are known. */
export async function isCurrentOnceASignOfTheServerIsReached() {
  const { live, server, play } = await start(fleet(3));
  ok(live.isCurrent, 'the summary is of the snapshot’s number');
  server.summary = changed(server.summary, { seq: SEQ + 5 });
  await atOnce(live, async () => {
    play(99, [{ e: 'REPLAY_GAP' }]);
    await until(() => live.loadedAt > 0, 'the next snapshot');
    await settled();
    equal(live.isCurrent, false, 'the events up to the number of the summary are to come');
    play(SEQ + 5, []);
    equal([live.isCurrent, live.store.seq], [true, SEQ + 5], 'a tick');
  });
}

/** T1: the time of a summary, which is kept for a second, does not set the clock. */
export async function theClockIsNotSetByWhatIsKept() {
  const ahead = clock.estimate() - Date.now();
  const { live, server } = await start(fleet(1));
  server.summary = changed(server.summary, { at: new Date(clock.estimate() - 30_000).toISOString() });
  await live.refresh();
  ok(Math.abs(clock.estimate() - Date.now() - ahead) < 2000, 'the clock');
  live.stop();
}

export async function readsWhatNoEventHasWhenItIsLiveAgain() {
  const { live, tell, paths } = await start(fleet(1));
  const before = paths.length;
  tell('reconnecting');
  equal(paths.length, before);
  tell('live');
  ok(paths.length > before, 'the summary');
  live.stop();
}
