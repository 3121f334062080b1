import { changed, outlines } from '/src/fleet/band.js';
import { PastFleet } from '/src/fleet/past.js';
import { Replay } from '/src/fleet/replay.js';
import { readChanges, readSnapshot } from '/src/fleet/snapshot.js';
import { FleetStore } from '/src/fleet/store.js';
import { onlineShare, pieces, RIBBON_MS } from '/src/pages/ribbon.js';
import { equal, fails, ok, until } from './assert.js';
import { fleet, msc1, msf1, uuid } from './fixtures.js';

const FROM = '2026-11-25T02:16:09.000Z';
const START = Date.parse(FROM);
const REASONS = { degraded: 'runtime_wedged' };

/** Returns a snapshot, in which every fifth workspace does not exist yet, and pseudo-random changes of it. */
function past(n, changes, seed = 1) {
  let state = seed;
  const random = most => (state = (state * 1103515245 + 12345) & 0x7fffffff) % most;
  const rows = fleet(n, i => ({ status: i % 5 === 4 ? null : 'online' }));
  const now = rows.map(row => row.status);
  const made = [];
  for (let i = 0; i < changes; i++) {
    const row = random(n);
    const status = now[row] === null ? 'awaiting_agent' : ['online', 'degraded', 'offline', 'removed'][random(4)];
    if (now[row] !== status && now[row] !== 'removed') {
      made.push({ id: uuid(row), at: 10 * i + random(10), was: now[row], now: status, reason: REASONS[status] ?? null, error: status === 'degraded' ? `e${random(9)}` : null });
      now[row] = status;
    }
  }
  return [msf1(rows), msc1(made, { from: FROM, to: new Date(START + 10 * changes).toISOString() })];
}

const replayOf = ([base, changes]) => {
  const store = new FleetStore();
  store.load(readSnapshot(base));
  return new Replay(store, readChanges(changes));
};

const stateOf = ({ store }) => {
  const rows = [];
  for (let row = 0; row < store.n; row++) {
    rows.push(store.alive[row] ? [store.statusOf(row), store.since[row], store.word('reason', row), store.word('error', row)] : 0);
  }
  return JSON.stringify([rows, store.counts, store.total()]);
};

export function scrubbingForthAndBackIsTheSame() {
  const files = past(60, 900);
  const replay = replayOf(files);
  let state = 5;
  for (let i = 0; i < 300; i++) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    const ms = START + state % 9500;
    replay.seek(ms);
    const direct = replayOf(files);
    direct.seek(ms);
    equal(stateOf(replay), stateOf(direct), `after ${i} moves, at ${ms - START}:`);
  }
  replay.seek(START);
  equal(stateOf(replay), stateOf(replayOf(files)));
}

export function makesAChangeAtItsTimeAndNotBefore() {
  const replay = replayOf([msf1(fleet(2)), msc1([{ id: uuid(1), at: 500, was: 'online', now: 'offline' }], { from: FROM, to: FROM })]);
  equal(replay.seek(START + 499), []);
  equal(replay.seek(START + 500), [1]);
  equal([replay.store.statusOf(1), replay.store.since[1]], ['offline', START / 1000]);
  equal([replay.previous(START + 500), replay.next(START + 500), replay.previous(START + 501), replay.next(START)], [null, null, START + 500, START + 500]);
}

export function refusesAnythingElse() {
  fails(() => readChanges(msf1(fleet(1))), /not MSC1/);
}

export async function showsTheTimeThatWasAskedForLastWhileItIsLoaded() {
  const files = past(20, 100);
  const asked = [];
  const shown = [];
  const fleetThen = new PastFleet(async (method, path, { query }) => {
    asked.push(path);
    await new Promise(done => setTimeout(done, 5));
    return { bytes: path.endsWith('/at') ? files[0] : files[1] };
  });
  fleetThen.oldest = START - 60_000;
  fleetThen.onChange(touched => shown.push(touched));
  fleetThen.seek(START + 100);
  fleetThen.seek(START + 700);
  await until(() => fleetThen.isLoaded && shown.length > 0);
  const direct = replayOf(files);
  direct.seek(START + 700);
  equal(stateOf(fleetThen), stateOf(direct));
  equal(asked, ['/console/fleet/at', '/console/fleet/changes']);
  fleetThen.close();
}

export async function showsATimeOfTheLoadedPeriodThatIsAskedForWhileAnotherIsLoaded() {
  const files = past(20, 100);
  const ofPeriod = ({ from, to }) => Date.parse(to) > START + 86_400_000 ? msc1([], { from, to }) : files[1];
  const fleetThen = new PastFleet(async (method, path, { query }) => ({ bytes: path.endsWith('/at') ? files[0] : ofPeriod(query) }));
  fleetThen.oldest = START - 60_000;
  await fleetThen.seek(START);
  const other = fleetThen.seek(START + 86_400_000);
  fleetThen.seek(START + 500);
  await other;
  const direct = replayOf(files);
  direct.seek(START + 500);
  equal([stateOf(fleetThen), fleetThen.failure], [stateOf(direct), null]);
  fleetThen.close();
}

export async function asksOnceForATimeAfterTheEndOfTheHistory() {
  const files = past(20, 100);
  const asked = [];
  const fleetThen = new PastFleet(async (method, path) => {
    asked.push(path);
    return { bytes: path.endsWith('/at') ? files[0] : files[1] };
  });
  fleetThen.oldest = START - 60_000;
  const loading = fleetThen.seek(START + 100);
  fleetThen.seek(START + 5000);
  await loading;
  equal(fleetThen.at, START + 1000);
  equal(asked, ['/console/fleet/at', '/console/fleet/changes']);
  fleetThen.close();
}

export async function leavesTheFleetAsItIsDrawnUntilTheTimeIsLoadedThatWasAskedForLast() {
  const hour = 3_600_000;
  const shown = [];
  const fleetThen = new PastFleet(async (method, path, { query }) => {
    const at = path.endsWith('/at') ? query.t : query.from;
    shown.push(fleetThen.store.n);
    const n = Date.parse(at) < START ? 3 : 7;
    return { bytes: path.endsWith('/at') ? msf1(fleet(n)) : msc1([], { from: at, to: query.to }) };
  });
  const loading = fleetThen.seek(START - 24 * hour);
  fleetThen.seek(START + 24 * hour);
  await loading;
  equal(shown, [0, 0, 0, 0]);
  equal([fleetThen.store.n, fleetThen.at], [7, START + 24 * hour]);
  fleetThen.close();
}

export function comparesWithToday() {
  const fleetThen = new PastFleet(null);
  fleetThen.store.load(readSnapshot(msf1(fleet(4, i => ({ status: ['online', 'online', 'offline', 'online'][i] })))));
  const today = new FleetStore();
  today.load(readSnapshot(msf1(fleet(5, i => ({ status: ['online', 'degraded', 'online', 'online', 'online'][i] })).filter((_, i) => i !== 3))));
  equal(fleetThen.comparedWith(today), { degraded: 1, online: 1, new: 1, removed: 1 });
}

export function drawsOneOfManySoThatItIsSeen() {
  const minutes = { from: FROM, step_s: 60, at: [START / 1000, START / 1000 + 60, START / 1000 + 240],
    status: { online: [100000, 99999, 50000], degraded: [0, 1, 0], offline: [0, 0, 50000], failed: [0, 0, 0] }, transitions: [0, 1, 1] };
  const paths = Object.fromEntries(outlines(minutes).map(({ status, path }) => [status, path]));
  equal(paths.recorded, 'M0 100V0.0H1V0.0H2V100M4 100V0.0H5H7V100Z');
  equal(paths.degraded, 'M0 100V100.0H1V93.0H2V100M4 100V29.3H5V100Z');
  equal(paths.failed, 'M0 100V100.0H1V100.0H2V100M4 100V100.0H5V100Z');
  equal([changed(minutes, START + 250_000, -1), changed(minutes, START, 1), changed(minutes, START, -1)], [START + 240_000, START + 60_000, null]);
}

export function countsTheTimeOnline() {
  const iso = ago => new Date(START - ago * 3_600_000).toISOString();
  const periods = [{ status: 'online', since: iso(30), until: iso(6) }, { status: 'offline', since: iso(6), until: iso(3) }, { status: 'online', since: iso(3), until: null }];
  const found = pieces(periods, START);
  equal(found[0].from, START - RIBBON_MS);
  equal(onlineShare(found), 87.5);
  ok(onlineShare([]) === null);
}
