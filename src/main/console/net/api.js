/** Sends requests with the session's page key, and turns error responses into {@link ApiError}. */
import { forget, take } from '../boot.js';

const KEY = 'muster-page';

/** The most ids in one url: the server takes 8 KiB of url and headers, and refuses more with 431. */
export const MAX_IDS = 100;

/** The page key when storage is blocked; the session then lasts until the page is closed. */
let keyInMemory = null;

let whenSignedOut = () => {};

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

/**
 * Sends a request.
 *
 * @param {string} method
 * @param {string} path such as /workspaces
 * @param {object} [options]
 * @param {Record<string, unknown> | URLSearchParams} [options.query] null and '' are left out
 * @param {unknown} [options.body] sent as JSON
 * @param {AbortSignal} [options.signal]
 * @param {'json' | 'bytes' | 'text'} [options.as] bytes gives {bytes: ArrayBuffer, headers}
 * @param {Record<string, string>} [options.headers]
 * @returns {Promise<any>} the response's body; null where it has none
 * @throws {ApiError} for every status of 400 and above, and where no response arrives
 */
export async function call(method, path, options = {}) {
  const { query, body, signal, as = 'json', headers } = options;
  const url = withQuery(path, query);
  const key = pageKey();
  const response =
    (method === 'GET' && (await take(url))) ||
    (await send(url, { method, headers: { ...ownHeaders(body), ...headers }, body: json(body), signal }));
  if (!response.ok) {
    throw await refusal(response, method === 'POST' && path === '/console/session' ? null : key);
  }
  if (as === 'bytes') {
    return { bytes: await response.arrayBuffer(), headers: response.headers };
  }
  const text = await response.text();
  return as === 'text' ? text : text === '' ? null : JSON.parse(text);
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

async function send(url, request) {
  try {
    return await fetch(url, request);
  } catch (failure) {
    if (failure.name === 'AbortError') {
      throw failure;
    }
    throw new ApiError(0, 'NO_RESPONSE', 'Muster did not respond: the server or the network is down.', null);
  }
}

/** @param {?string} key the page key that the request was sent with; null for a sign-in */
async function refusal(response, key) {
  const problem = await response.json().catch(() => ({}));
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
