/** Links to workspaces by name, where a list has only their ids. */
import { html } from 'lit-html';
import { call } from '../net/api.js';
import { current } from '../net/session.js';
import { glyphOf, statusWord, toneOf } from './status-mark.js';
import { clamp, visible } from '../text/safe.js';

const FRESH_MS = 15_000;
const MAX_IDS = 200;
const SOON_MS = 20;

/** id → {name, status, at}; `name` is null for an id that nobody knows. */
const known = new Map();

/** Those who wait for the name of an id, and the ids that are still to be asked for. */
const pending = new Map();
const unsent = [];
let timer = 0;

class WorkspaceLink extends HTMLElement {
  #id = '';

  set id_(id) {
    if (id !== this.#id) {
      this.#id = id;
      this.#show();
    }
  }

  connectedCallback() {
    this.#show();
  }

  #show() {
    if (!this.isConnected || this.#id === '') {
      return;
    }
    const found = known.get(this.#id);
    this.#draw(found);
    if (found === undefined || Date.now() - found.at > FRESH_MS) {
      ask(this.#id, (answer) => this.isConnected && this.#draw(answer));
    }
  }

  #draw(found) {
    const link = document.createElement('a');
    const name = document.createElement('bdi');
    name.textContent = clamp(visible(found?.name ?? this.#id.slice(0, 8)), 80).start;
    const at = new URLSearchParams(location.search).get('at');
    const status = at === null ? found?.status : null; // that of today says nothing of the past
    link.href = `/ui/w/${encodeURIComponent(this.#id)}${at === null ? '' : `?at=${encodeURIComponent(at)}`}`;
    link.title = status ? `${statusWord(status)}: ${this.#id}` : this.#id;
    link.append(name);
    const shown = status && status !== 'online' ? [glyph(status), link] : [link];
    if (!this.contains(document.activeElement)) {
      this.replaceChildren(...shown);
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

function ask(id, told) {
  if (pending.has(id)) {
    pending.get(id).push(told);
    return;
  }
  pending.set(id, [told]);
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
    const told = pending.get(id) ?? [];
    pending.delete(id);
    told.forEach((tell) => tell(known.get(id)));
  }));
}

/** An agent's session reads its peers one by one. */
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
 * Keeps the name of a workspace that a page has read anyway.
 *
 * @param {string} id
 * @param {{name: string | null, status: string | null}} row
 */
export function remember(id, { name, status }) {
  known.set(id, { name, status, at: Date.now() });
}

/**
 * @param {string | null | undefined} id
 * @param {string} [nobody] what is shown for no id
 */
export function workspaceLink(id, nobody = 'the canvas') {
  return id ? html`<mu-workspace .id_=${id}></mu-workspace>` : html`<span class="meta">${nobody}</span>`;
}

/**
 * A name as plain text, for pictures; the start of the id until it is known.
 *
 * @param {string} id
 * @param {number} most characters
 * @param {() => void} told called when the name is known
 */
export function nameOf(id, most, told) {
  const found = known.get(id);
  if (found === undefined && !pending.has(id)) {
    ask(id, told);
  }
  const { start, rest } = clamp(visible(found?.name ?? id.slice(0, 8)), most);
  return rest ? `${start}…` : start;
}
