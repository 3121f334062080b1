import * as clock from '/src/net/clock.js';
import { Stream, wait } from '/src/net/stream.js';
import { equal, ok, until } from './assert.js';

class Socket {
  static made = [];
  constructor(url, protocols) {
    Object.assign(this, { url: new URL(url), protocols, readyState: 0 });
    Socket.made.push(this);
  }
  close() {
    this.readyState = 3;
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  send(batch) {
    this.onmessage({ data: JSON.stringify(batch) });
  }
  end() {
    this.readyState = 3;
    this.onclose();
  }
}

const make = (probe = async () => 0) => {
  Socket.made = [];
  clock.thaw();
  return new Stream({ key: () => 'k'.repeat(43), probe, Socket });
};
const refused = status => async () => {
  throw { status };
};

export function waitsLongerEachTimeWithinAQuarter() {
  equal([0, 1, 2, 3, 4, 9].map(attempt => wait(attempt, 0.5)), [1000, 2000, 4000, 8000, 15_000, 15_000]);
  equal([wait(0, 0), wait(4, 1)], [750, 18_750]);
}

export function asksForWhatComesAfterTheSnapshotWithThePageKey() {
  const stream = make();
  stream.open(42);
  const [socket] = Socket.made;
  equal([socket.url.pathname + socket.url.search, socket.url.protocol], ['/ws?view=console&after=42', 'ws:']);
  equal(socket.protocols, ['muster-ws', `muster-page.${'k'.repeat(43)}`]);
  stream.close();
}

export async function goesOnAfterTheLastEventItHandedOn() {
  const stream = make();
  const seen = [];
  stream.subscribe(batch => seen.push(batch.seq));
  stream.open(1);
  Socket.made[0].open();
  equal(stream.state(), 'live');
  Socket.made[0].send({ seq: 9, events: [] });
  Socket.made[0].end();
  equal([stream.state(), clock.frozen()], ['reconnecting', true]);
  await until(() => Socket.made.length === 2);
  equal(Socket.made[1].url.search, '?view=console&after=9');
  Socket.made[1].open();
  equal([stream.state(), clock.frozen(), seen], ['live', false, [9]]);
  stream.close();
}

export async function saysWhyItIsAway() {
  for (const [status, state] of [[401, 'signed_out'], [503, 'database_away'], [0, 'reconnecting']]) {
    const stream = make(refused(status));
    stream.open(1);
    Socket.made[0].end();
    await until(() => stream.state() === state, state);
    stream.close();
  }
}

export async function doesNotTryAgainOnceSignedOut() {
  const stream = make(refused(401));
  stream.open(1);
  Socket.made[0].end();
  await until(() => stream.state() === 'signed_out');
  await new Promise(resolve => setTimeout(resolve, 1400));
  equal(Socket.made.length, 1);
  stream.close();
}

export function otherRequestsTellOfTheDatabase() {
  const stream = make();
  stream.open(1);
  Socket.made[0].open();
  stream.report({ status: 503 });
  equal([stream.state(), clock.frozen()], ['database_away', true]);
  stream.report(null);
  equal([stream.state(), clock.frozen()], ['live', false]);
  stream.report({ status: 0 });
  equal(stream.state(), 'reconnecting');
  stream.close();
}

export function agesStayFrozenWhenABatchArrivesThatWasReadBeforeTheDatabaseWentAway() {
  const stream = make();
  stream.open(1);
  Socket.made[0].open();
  stream.report({ status: 503 });
  Socket.made[0].send({ seq: 2, events: [] });
  equal([stream.state(), clock.frozen(), clock.now()], ['database_away', true, stream.receivedAt]);
  stream.close();
}

export function saysThatItIsBehind() {
  const stream = make();
  stream.open(1);
  Socket.made[0].open();
  stream.waiting(6000);
  equal(stream.state(), 'behind');
  stream.waiting(3);
  equal(stream.state(), 'live');
  stream.close();
}

export function triesAtOnceWhenAsked() {
  const stream = make();
  stream.open(1);
  Socket.made[0].end();
  stream.now();
  equal(Socket.made.length, 2);
  ok(Socket.made[1] !== Socket.made[0]);
  stream.close();
}
