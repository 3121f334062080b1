// Every request has a limit, and what has no answer may have been done: T2 of docs/internals/console.md.
import { call, tell } from '/src/net/api.js';
import { outboxOf } from '/src/pages/chat-outbox.js';
import { equal, ok } from './assert.js';

const never = (_, { signal }) => new Promise((_, reject) => (signal.throwIfAborted(), signal.addEventListener('abort', () => reject(signal.reason))));
const endless = async (_, { signal }) => new Response(new ReadableStream({ start: body => signal.addEventListener('abort', () => body.error(signal.reason)) }));
const refused = async () => {
  throw new TypeError('Failed to fetch');
};

/** Calls `act` with `fetch` replaced, and seconds that last a millisecond. Returns what the link was told, and the pauses. */
async function quickly(fetch, act, isAway = false) {
  const { fetch: realFetch, setTimeout: later } = globalThis;
  const [told, limits] = [[], []];
  const link = { isAway: () => isAway };
  for (const name of ['asked', 'heard', 'failed']) link[name] = () => told.push(name);
  tell(link);
  globalThis.fetch = (...args) => (told.push('sent'), fetch(...args));
  globalThis.setTimeout = (fn, ms) => (limits.push(ms), later(fn, ms / 1000));
  try {
    await act();
  } finally {
    Object.assign(globalThis, { fetch: realFetch, setTimeout: later });
    tell({ asked() {}, heard() {}, failed() {}, isAway: () => false });
  }
  return { told, limits };
}

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

/** T2 */
export async function everyRequestHasALimit() {
  for (const [fetch, method, options, limits, words] of [
    [never, 'GET', {}, [8000], 'Muster did not answer within 8 s.'],
    [endless, 'GET', {}, [8000, 60_000], 'Muster did not answer within 60 s.'],
    [endless, 'GET', { as: 'bytes' }, [8000, 60_000], 'Muster did not answer within 60 s.'],
    [never, 'POST', {}, [15_000], 'Muster did not answer within 15 s. It may have been done.'],
    [endless, 'DELETE', {}, [15_000, 15_000], 'Muster did not answer within 15 s. It may have been done.'],
    [never, 'POST', { limit: 'long' }, [900_000], 'Muster did not answer within 900 s. It may have been done.'],
  ]) {
    const found = await quickly(fetch, async () => {
      const error = await failure(call(method, '/workspaces', options));
      equal([error.status, error.code, error.detail], [0, 'NO_RESPONSE', words]);
    });
    equal(found, { told: ['asked', 'sent', ...(fetch === endless ? ['heard'] : []), 'failed'], limits });
  }
}

/** T2: the browser does not say whether a change that it could not finish has reached the server. */
export async function aChangeWithoutAnAnswerMayHaveBeenDone() {
  await quickly(refused, async () => {
    equal((await failure(call('GET', '/workspaces'))).detail, 'Muster did not respond: the server or the network is down.');
    equal((await failure(call('PATCH', '/workspaces/1'))).detail, 'Muster did not respond: the server or the network is down. It may have been done.');
  });
}

export async function anAnswerIsASignWhateverItSays() {
  for (const status of [200, 404, 503]) {
    const { told } = await quickly(async () => new Response('{"code":"X","detail":"no"}', { status }), async () => {
      const answer = call('GET', '/workspaces');
      equal(status === 200 ? (await answer).code : (await failure(answer)).code, 'X');
    });
    equal(told, ['asked', 'sent', 'heard', 'heard']);
  }
  await quickly(async () => new Response('<html>', { status: 502 }), async () =>
    equal((await failure(call('GET', '/workspaces'))).detail, 'Muster answered with status 502.'));
}

/** T1: what hangs is not asked over and over; only what shows that it is back. */
export async function readsAreNotSentWhileTheServerDoesNotAnswer() {
  const answer = async () => new Response('{}');
  const { told } = await quickly(answer, async () => equal((await failure(call('GET', '/workspaces'))).code, 'NO_RESPONSE'), true);
  equal(told, []);
  const others = await quickly(answer, async () => {
    await call('GET', '/console/session');
    await call('POST', '/workspaces');
  }, true);
  equal(others.told.filter(one => one === 'sent').length, 2);
}

export async function whoWantsNoAnswerGetsNone() {
  const abort = new AbortController();
  const { told } = await quickly(never, async () => {
    const answer = failure(call('GET', '/workspaces', { signal: abort.signal }));
    abort.abort();
    equal((await answer).name, 'AbortError');
  });
  ok(!told.includes('failed'), 'it says nothing of the server');
}

/** A push agent may take minutes for its answer. */
export async function aMessageHasALongLimit() {
  const asked = [];
  await outboxOf('limits').send(async (...args) => asked.push(args), 'hello');
  equal([asked[0][1], asked[0][2].limit], ['/workspaces/limits/a2a', 'long']);
  outboxOf('limits').sent.forEach(({ messageId }) => outboxOf('limits').forget(messageId));
}
