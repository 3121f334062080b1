/**
 * `<mu-workspace>`: a link to a workspace that shows its name and status, those of the live fleet. Of a workspace that
 * the fleet does not have they are read from the server by id.
 */
import { html } from 'lit-html';
import { MAX_IDS, call } from '../net/api.js';
import { current } from '../net/session.js';
import { glyphOf, statusWord, toneOf } from './status-mark.js';
import { clamp, visible } from '../text/safe.js';

const FRESH_MS = 15_000;
const SOON_MS = 20;
/** The links follow changes of the fleet after this time. */
const FOLLOW_MS = 250;

/** The live fleet; null without a session. @type {?import('../fleet/live.js').LiveFleet} */
let fleet = null;
let leave = () => {};
let following = 0;
/** The links in the document. @type {Set<WorkspaceLink>} */
const links = new Set();

/**
 * Cache: id → {name, status, at}; `name` is null for an id that does not exist or may not be read, `at` is when it was
 * read.
 */
const known = new Map();

/** id → callbacks that wait for its name. */
const pending = new Map();
/** Ids of `pending` that were not requested yet. */
const unsent = [];
let timer = 0;

/** Lets the links follow a fleet. @param {typeof fleet} next */
export function followFleet(next) {
  leave();
  fleet = next;
  leave = next === null ? () => {} : next.onChange(() => {
    following ||= setTimeout(() => {
      following = 0;
      links.forEach((link) => link.follow());
    }, FOLLOW_MS);
  });
}

/** Returns name and status of a workspace in the live fleet; undefined for one that it does not have. */
function liveOf(id) {
  const row = fleet?.isLoaded ? fleet.store.index.find(id) : -1;
  return row < 0 ? undefined
    : { name: fleet.store.name(row), status: fleet.store.alive[row] ? fleet.store.statusOf(row) : 'removed' };
}

class WorkspaceLink extends HTMLElement {
  #id = '';
  /** What is drawn. */
  #drawn = '';

  set id_(id) {
    if (id !== this.#id) {
      this.#id = id;
      this.#show();
    }
  }

  connectedCallback() {
    links.add(this);
    this.#show();
  }

  disconnectedCallback() {
    links.delete(this);
  }

  /** Draws what has changed in the live fleet. */
  follow() {
    const live = liveOf(this.#id);
    if (live !== undefined) {
      this.#draw(live);
    }
  }

  #show() {
    if (!this.isConnected || this.#id === '') {
      return;
    }
    const live = liveOf(this.#id);
    const found = live ?? known.get(this.#id);
    this.#draw(found);
    if (live === undefined && (found === undefined || Date.now() - found.at > FRESH_MS)) {
      ask(this.#id, (answer) => this.isConnected && this.#draw(liveOf(this.#id) ?? answer));
    }
  }

  #draw(found) {
    const link = document.createElement('a');
    const name = document.createElement('bdi');
    name.textContent = clamp(visible(found?.name ?? this.#id.slice(0, 8)), 80).start;
    const at = new URLSearchParams(location.search).get('at');
    const status = at === null ? found?.status : null; // the current status is wrong for a page of the past
    const drawn = [this.#id, name.textContent, status, at].join();
    if (drawn === this.#drawn) {
      return;
    }
    link.href = `/ui/w/${encodeURIComponent(this.#id)}${at === null ? '' : `?at=${encodeURIComponent(at)}`}`;
    link.title = status ? `${statusWord(status)}: ${this.#id}` : this.#id;
    link.append(name);
    const shown = status && status !== 'online' ? [glyph(status), link] : [link];
    if (!this.contains(document.activeElement)) {
      this.replaceChildren(...shown);
      this.#drawn = drawn;
    }
  }
}

const SVG = 'http://www.w3.org/2000/svg';

function glyph(status) {
  const svg = document.createElementNS(SVG, 'svg');
  const use = document.createElementNS(SVG, 'use');
  svg.setAttribute('class', `status-glyph ${toneOf(status)}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', statusWord(status));
  use.setAttribute('href', glyphOf(status));
  svg.append(use);
  return svg;
}

customElements.define('mu-workspace', WorkspaceLink);

function ask(id, onRead) {
  if (pending.has(id)) {
    pending.get(id).push(onRead);
    return;
  }
  pending.set(id, [onRead]);
  unsent.push(id);
  timer ||= setTimeout(readUnsent, SOON_MS);
}

async function readUnsent() {
  const ids = unsent.splice(0, MAX_IDS);
  timer = unsent.length > 0 ? setTimeout(readUnsent, SOON_MS) : 0;
  const rows = await readRows(ids);
  rows.forEach((row) => remember(row.id, row));
  await Promise.all(ids.map(async (id) => {
    if (!rows.some((row) => row.id === id)) {
      remember(id, await readOne(id));
    }
    const callbacks = pending.get(id) ?? [];
    pending.delete(id);
    callbacks.forEach((fn) => fn(known.get(id)));
  }));
}

/** Reads many workspaces at once. An agent's session may not, so its ids are read one by one. */
async function readRows(ids) {
  try {
    return current()?.role === 'agent' ? [] : await call('GET', '/console/rows', { query: { ids: ids.join(',') } });
  } catch {
    return [];
  }
}

async function readOne(id) {
  try {
    return await call('GET', `/workspaces/${encodeURIComponent(id)}`, { query: { include_removed: true } });
  } catch (failure) {
    return { name: null, status: failure.status === 410 ? 'removed' : null };
  }
}

/**
 * Caches the name and status of a workspace that a page has read for another reason.
 *
 * @param {string} id
 * @param {{name: string | null, status: string | null}} row
 */
export function remember(id, { name, status }) {
  known.set(id, { name, status, at: Date.now() });
}

/**
 * Returns a link to a workspace.
 *
 * @param {string | null | undefined} id
 * @param {string} [placeholder] text shown without an id
 */
export function workspaceLink(id, placeholder = 'the canvas') {
  return id ? html`<mu-workspace .id_=${id}></mu-workspace>` : html`<span class="meta">${placeholder}</span>`;
}

/**
 * Returns a workspace's name as plain text, for SVG; the first 8 characters of its id until the name is read.
 *
 * @param {string} id
 * @param {number} most length at most, in code points
 * @param {() => void} onRead called when the name was read
 * @returns {string}
 */
export function nameOf(id, most, onRead) {
  const found = liveOf(id) ?? known.get(id);
  if (found === undefined && !pending.has(id)) {
    ask(id, onRead);
  }
  const { start, rest } = clamp(visible(found?.name ?? id.slice(0, 8)), most);
  return rest ? `${start}…` : start;
}
