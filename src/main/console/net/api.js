/** Sends requests with the session's page key, and turns error responses into {@link ApiError}. */
import { forget, take } from '../boot.js';

const KEY = 'muster-page';

/** The most ids in one url: the server takes 8 KiB of url and headers, and refuses more with 431. */
export const MAX_IDS = 100;

/** The page key when storage is blocked; the session then lasts until the page is closed. */
let keyInMemory = null;

let whenSignedOut = () => {};

/** The read by which a page learns whether the server answers. */
const SESSION = '/console/session';

/**
 * Limits in ms of a request: until the head of its response, and until the end. A message to a push agent waits for the
 * agent, which may take minutes.
 */
const LIMITS = {
  read: { head: 8000, end: 60_000 },
  change: { head: 15_000, end: 15_000 },
  long: { head: 900_000, end: 900_000 },
};

/** What is told of each request, and says whether the server answers: a {@link import('./link.js').Link}. */
let link = { asked() {}, heard() {}, failed() {}, isAway: () => false };

/** An error response of the server, or (status 0) no response at all. */
export class ApiError extends Error {
  /**
   * @param {number} status the HTTP status; 0 when no response arrived
   * @param {string} code the server's error code, such as FORBIDDEN
   * @param {string} detail the server's description, for people
   * @param {?string} requestId
   * @param {number} [retryAfter] seconds of the Retry-After header; 0 without one
   */
  constructor(status, code, detail, requestId, retryAfter = 0) {
    super(detail);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** @returns {?string} the page key of this browser's session; null without one */
export function pageKey() {
  try {
    return localStorage.getItem(KEY) ?? keyInMemory;
  } catch {
    return keyInMemory;
  }
}

/** Stores the page key. @param {?string} key the new session's key; null removes it */
export function keepPageKey(key) {
  keyInMemory = key;
  forget();
  try {
    if (key === null) {
      localStorage.removeItem(KEY);
    } else {
      localStorage.setItem(KEY, key);
    }
  } catch {
    // storage is blocked: the key stays in memory
  }
}

/** @param {(key: ?string) => void} fn called with the new page key when another tab signs in or out; null for out */
export function onOtherTab(fn) {
  addEventListener('storage', (event) => {
    if (event.key === KEY || event.key === null) {
      fn(event.key === null ? null : event.newValue);
    }
  });
}

/** @param {(error: ApiError) => void} fn called when the server answers that the session does not exist */
export function onSignedOut(fn) {
  whenSignedOut = fn;
}

/** @param {typeof link} next is told of each request from now on */
export function tell(next) {
  link = next;
}

/**
 * Sends a request. While the server does not answer, a read is not sent, and fails at once.
 *
 * @param {string} method
 * @param {string} path such as /workspaces
 * @param {object} [options]
 * @param {Record<string, unknown> | URLSearchParams} [options.query] null and '' are left out
 * @param {unknown} [options.body] sent as JSON
 * @param {AbortSignal} [options.signal]
 * @param {'json' | 'bytes' | 'text'} [options.as] bytes gives {bytes: ArrayBuffer, headers}
 * @param {Record<string, string>} [options.headers]
 * @param {'read' | 'change' | 'long'} [options.limit] by the method, if it is not given; `long` is for messages alone
 * @returns {Promise<any>} the response's body; null where it has none
 * @throws {ApiError} for every status of 400 and above, and where no response arrives in time. Then what a change was
 *   to do may have been done.
 */
export async function call(method, path, options = {}) {
  const { query, body, signal, as = 'json', headers, limit = method === 'GET' ? 'read' : 'change' } = options;
  const url = withQuery(path, query);
  const key = pageKey();
  if (method === 'GET' && path !== SESSION && link.isAway()) {
    throw noResponse('Muster does not answer at present.');
  }
  const late = new Late(LIMITS[limit]);
  const request = { method, headers: { ...ownHeaders(body), ...headers }, body: json(body), signal: late.with(signal) };
  let [response, content] = [null, null];
  link.asked();
  try {
    response = (method === 'GET' && (await late.race(take(url)))) || (await fetch(url, request));
    link.heard();
    late.headed();
    content = await late.race(response.ok && as === 'bytes' ? response.arrayBuffer() : response.text());
    link.heard();
  } catch (failure) {
    if (signal?.aborted) {
      throw failure;
    }
    link.failed();
    const what = late.isOver() ? `Muster did not answer within ${late.seconds} s`
      : 'Muster did not respond: the server or the network is down';
    throw noResponse(method === 'GET' ? `${what}.` : `${what}. It may have been done.`);
  } finally {
    late.end();
  }
  if (!response.ok) {
    throw refusal(response, content, method === 'POST' && path === SESSION ? null : key);
  }
  return as === 'bytes' ? { bytes: content, headers: response.headers }
    : as === 'text' ? content : content === '' ? null : JSON.parse(content);
}

/** @param {string} detail @returns {ApiError} the error of a request without a response */
const noResponse = (detail) => new ApiError(0, 'NO_RESPONSE', detail, null);

/** Ends a request that takes too long. */
class Late {
  #limits;
  #abort = new AbortController();
  #timer;

  /** @param {{head: number, end: number}} limits in ms */
  constructor(limits) {
    this.#limits = limits;
    this.#limit(limits.head);
  }

  #limit(ms) {
    clearTimeout(this.#timer);
    /** The limit that applies, in s. */
    this.seconds = ms / 1000;
    this.#timer = setTimeout(() => this.#abort.abort(), ms);
  }

  /** Notes that the head of the response has arrived. */
  headed() {
    this.#limit(this.#limits.end);
  }

  isOver() {
    return this.#abort.signal.aborted;
  }

  /** @param {AbortSignal} [signal] @returns {AbortSignal} aborts with it, or when the time is over */
  with(signal) {
    return signal === undefined ? this.#abort.signal : AbortSignal.any([signal, this.#abort.signal]);
  }

  /** Rejects when the time is over: a response that `boot.js` waits for cannot be aborted. */
  race(promise) {
    const { signal } = this.#abort;
    return Promise.race([promise, new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }))]);
  }

  end() {
    clearTimeout(this.#timer);
  }
}

function withQuery(path, query) {
  const pairs = query instanceof URLSearchParams ? [...query] : Object.entries(query ?? {});
  const kept = pairs.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}

function json(body) {
  return body === undefined ? undefined : JSON.stringify(body);
}

function ownHeaders(body) {
  const key = pageKey();
  return {
    ...(key === null ? {} : { 'X-Muster-Page': key }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
}

/** @param {?string} key the page key that the request was sent with; null for a sign-in */
function refusal(response, content, key) {
  const problem = problemOf(content);
  const error = new ApiError(
    response.status,
    problem.code ?? 'UNKNOWN',
    problem.detail ?? `Muster answered with status ${response.status}.`,
    response.headers.get('X-Request-ID'),
    Number(response.headers.get('Retry-After')) || 0,
  );
  // a 401 that the server passes on from an agent is not about the session, and a 401 for an older page key is not
  // about the session that another tab has started meanwhile
  if (error.status === 401 && error.code === 'UNAUTHENTICATED' && key !== null && key === pageKey()) {
    whenSignedOut(error);
  }
  return error;
}

function problemOf(content) {
  try {
    return JSON.parse(content) ?? {};
  } catch {
    return {}; // from a proxy
  }
}
