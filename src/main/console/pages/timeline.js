/** The tab *Timeline* of a workspace: its entries, with their causes. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { action } from '../parts/action.js';
import { asCurl } from '../parts/curl.js';
import { moment } from '../parts/filters.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { day, zone } from '../text/time.js';
import { entryLine } from './timeline-entry.js';
import { drawLanes } from './timeline-lanes.js';

const PAGE = 100;

/** Number of earlier pages that are read in search of the entry in the url. */
const MAX_SOUGHT = 10;

/** [name in the url, label, kinds of entries] */
const GROUPS = [
  ['status', 'status', ['status']],
  ['messages', 'messages', ['message', 'answer', 'notification', 'queue']],
  ['delegations', 'delegations', ['delegation']],
  ['runs', 'runs', ['run']],
  ['activity', 'other activity', ['activity']],
];

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call, navigate, workspace, at } = context;
  const path = `/console/timeline/${encodeURIComponent(workspace.id)}`;
  let query = place.query;
  let older = [];
  let latest = [];
  let reading = null; // the request for older entries that has no response yet
  let next = null;
  let heartbeats = false;
  let sought = null;
  const opened = new Set();
  const live = [];

  const shown = () => new Set((query.get('kinds') ?? '').split(',')
    .filter((name) => GROUPS.some(([group]) => group === name)));
  const isShown = (group) => shown().size === 0 || shown().has(group);
  const filter = () => ({
    kinds: shown().size === 0
      ? '' : GROUPS.filter(([group]) => isShown(group)).flatMap(([, , kinds]) => kinds).join(','),
    after: query.get('after') ?? '',
    // includes that millisecond
    before: at === undefined ? (query.get('before') ?? '') : new Date(at + 1).toISOString(),
    limit: PAGE,
  });

  const newest = new Loaded((signal) => call('GET', path, { query: filter(), signal }), () => {
    const found = newest.value?.entries ?? [];
    const keys = new Set(found.map(keyOf));
    const pushedOff = latest.filter((entry) => !keys.has(keyOf(entry)));
    const hasGap = pushedOff.length === latest.length; // there may be entries between this page and the one before
    if (hasGap || (older.length === 0 && reading === null)) {
      [older, reading, next] = [[], null, newest.value?.next ?? null];
    } else {
      older = [...pushedOff, ...older];
    }
    latest = found;
    draw();
    seek();
  });

  async function more() {
    const request = call('GET', path, { query: { ...filter(), before: next } });
    reading = request;
    try {
      const page = await request;
      if (reading === request) { // otherwise this page is of a list that is no longer shown
        older = [...older, ...page.entries];
        next = page.next;
        draw();
      }
    } finally {
      reading = reading === request ? null : reading;
    }
  }

  /** Scrolls once to the entry that the url names. */
  async function seek() {
    const focus = query.get('focus');
    const isListed = GROUPS.some(([group, , kinds]) => isShown(group) && kinds.includes(focus?.split(':')[0]));
    if (!isListed || focus === sought || !newest.value) {
      return;
    }
    sought = focus;
    const asked = query;
    try {
      for (let i = 0; asked === query && i < MAX_SOUGHT && next !== null
        && !entries().some((entry) => keyOf(entry) === focus); i++) {
        await more();
      }
    } catch { // the button Earlier reads on
    }
    if (asked === query) {
      root.querySelector('.entry[aria-current]')?.scrollIntoView({ block: 'center' });
    }
  }

  function choose(name, value) {
    const params = new URLSearchParams(query);
    value ? params.set(name, value) : params.delete(name);
    // digits that are typed are no steps back
    navigate(location.pathname, params, { replace: query.has(name) && value !== '' });
  }

  const isSpan = () => query.has('after') || query.has('before');

  function toggleGroup(group, on) {
    const chosen = GROUPS.map(([name]) => name).filter((name) => (name === group ? on : isShown(name)));
    const params = new URLSearchParams(query);
    chosen.length === 0 || chosen.length === GROUPS.length
      ? params.delete('kinds') : params.set('kinds', chosen.join(','));
    navigate(location.pathname, params);
  }

  const toggle = (key) => {
    opened.delete(key) || opened.add(key);
    draw();
  };

  /** Returns all entries without duplicates, newest first. Pages may overlap when entries have the same time. */
  function entries() {
    const all = new Map();
    for (const entry of [...(heartbeats ? live : []), ...newest.value.entries, ...older]) {
      all.set(keyOf(entry), at === undefined ? entry : asOf(entry, at));
    }
    return [...all.values()].filter((entry) => entry !== null).sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  }

  const list = () => {
    const found = entries();
    return found.length === 0
      ? isSpan() ? empty('Nothing happened in this span.', nothing) : empty('Nothing has happened here yet.',
        html`<p>Changes of the status, messages, delegations and runs appear here, with what caused them.</p>`)
      : html`<div class="lanes-frame"><svg class="lanes" aria-hidden="true"></svg>
          <ol class="timeline">${repeat(found, keyOf,
            (entry, i) => html`${dayOf(entry, found[i - 1])}${entryLine(entry, { found,
            opened: opened.has(keyOf(entry)), toggle: () => toggle(keyOf(entry)), workspace,
              focused: query.get('focus') === keyOf(entry) })}`)}</ol></div>
        ${next === null
          ? html`<p class="meta rows-end">${query.has('after')
            ? 'That is all since then.' : 'That is all that is kept.'}</p>`
          : html`<p class="rows-end">${action('Earlier', more)}</p>`}`;
  };

  function draw() {
    render(html`<div class="filters" role="group"
        aria-label="What is shown">${GROUPS.map(([group, words]) => html`<label><input type="checkbox"
          .checked=${isShown(group)} @change=${(event) => toggleGroup(group, event.target.checked)}> ${words}</label>`)}
        ${at === undefined
          ? html`<label><input type="checkbox" .checked=${heartbeats}
              @change=${(event) => { heartbeats = event.target.checked; draw(); }}> heartbeats, while you look</label>`
          : nothing}
        <span class="filters-span">${moment('from', 'after', query.get('after') ?? '', choose)}
        ${at === undefined ? moment('to', 'before', query.get('before') ?? '', choose)
          : nothing}<span class="meta">${zone()}</span></span>
        ${at === undefined && query.has('before')
          ? html`<button type="button" class="quiet" @click=${() => choose('before', '')}>show the newest</button>`
          : nothing}</div>
      <p class="legend meta"><span class="line sure" aria-hidden="true"></span>
          caused by, as ids say <span class="line guess" aria-hidden="true"></span> perhaps, by time only</p>
      ${at === undefined ? nothing : html`<p class="meta">What had not ended by then is shown without its end.</p>`}
      ${drawn(newest, list)}
      <footer class="page-foot">${asCurl({ path, query: filter() })}</footer>`, root);
    drawLanes(root.querySelector('.lanes-frame'), newest.value ? entries() : []);
  }

  const resized = new ResizeObserver(() => drawLanes(root.querySelector('.lanes-frame'), newest.value
    ? entries() : []));
  resized.observe(root);
  draw();
  newest.refresh();
  return {
    update(place) {
      query = place.query;
      [older, latest, reading] = [[], [], null];
      sought = null;
      newest.reset();
    },
    event(frame) {
      if (frame.event === 'WORKSPACE_HEARTBEAT') {
        live.unshift({ at: frame.timestamp, kind: 'heartbeat', id: frame.timestamp, title: 'heartbeat', refs: {} });
        live.length = Math.min(live.length, 50);
        if (heartbeats) {
          draw();
        }
      } else if (frame.event !== 'TASK_UPDATED' && !query.get('before')) {
        newest.soon(500);
      }
    },
    close() {
      resized.disconnect();
      newest.close();
    },
  };
}

/**
 * Returns an entry as it was known at a time, without an end that came later.
 *
 * @param {object} entry
 * @param {number} ms
 * @returns {?object} null for an entry after that time
 */
export function asOf(entry, ms) {
  const start = Date.parse(entry.at);
  if (start > ms) {
    return null;
  }
  const { kind, duration_ms: duration = null } = entry;
  if (kind === 'message') { // its answer is a separate entry
    return { ...entry, status: null, duration_ms: null };
  }
  if ((kind === 'delegation' || kind === 'run') && (duration === null || start + duration > ms)) {
    return { ...entry, status: null, duration_ms: null, text: duration === null ? entry.text : null };
  }
  return entry;
}

/** Returns the heading of a day above its newest entry; `newer` is the entry before it in the list. */
function dayOf(entry, newer) {
  const date = day(entry.at);
  return newer !== undefined && day(newer.at) === date
    ? nothing : html`<li class="entry-day"><h2><time datetime=${date}>${date}</time></h2></li>`;
}

/** Returns the key of an entry, in the url and in the list. */
export const keyOf = (entry) => `${entry.kind}:${entry.id}`;
