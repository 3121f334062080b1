import { PAUSES } from '/src/net/link.js';
import { Stream } from '/src/net/stream.js';
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

/** Makes a stream, and a link that writes down what it is told. */
function make() {
  Socket.made = [];
  const told = [];
  const link = { told, attach() {}, message: ({ seq }) => told.push(seq) };
  for (const name of ['opened', 'closed', 'lost']) link[name] = () => told.push(name);
  return new Stream({ key: () => 'k'.repeat(43), link, Socket });
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
  Socket.made[0].send({ seq: 9, events: [] });
  Socket.made[0].end();
  await until(() => Socket.made.length === 2);
  equal(Socket.made[1].url.search, '?view=console&after=9');
  Socket.made[1].open();
  equal([stream.link.told, seen], [['opened', 9, 'lost', 'opened'], [9]]);
  stream.close();
}

/** The link closes it while the server does not answer, and opens it when it does. */
export async function isOpenedAgainOnlyByTheLinkOnceItWasDropped() {
  const stream = make();
  stream.open(7);
  Socket.made[0].open();
  Socket.made[0].end();
  stream.drop();
  await new Promise(resolve => setTimeout(resolve, 1400));
  equal(Socket.made.length, 1);
  stream.connect();
  stream.connect();
  equal([Socket.made.length, Socket.made[1].url.search], [2, '?view=console&after=7']);
  stream.drop();
  equal(Socket.made[1].readyState, 3);
  Socket.made[1].onclose();
  equal(stream.link.told, ['opened', 'lost'], 'what a dropped socket says counts no more');
}

/** T1: a proxy may take the request for a WebSocket and never answer it. */
export async function aSocketThatDoesNotOpenIsLost() {
  const real = { ...PAUSES };
  Object.assign(PAUSES, { quiet: 20, answer: 10 });
  const stream = make();
  try {
    stream.open(7);
    await until(() => stream.link.told.length > 0, 'the end');
    equal([stream.link.told, Socket.made[0].readyState], [['lost'], 3]);
  } finally {
    Object.assign(PAUSES, real);
    stream.close();
  }
}

export function staysClosedUntilItHasAPosition() {
  const stream = make();
  stream.connect();
  stream.open(1);
  stream.close();
  stream.connect();
  equal([Socket.made.length, stream.link.told.at(-1)], [1, 'closed']);
  stream.open(2);
  ok(Socket.made[1].url.search.endsWith('after=2'));
  stream.close();
}
