/**
 * The palette, which finds pages, workspaces and actions by parts of their names; and the list of keyboard shortcuts.
 */
import { html, nothing } from 'lit-html';
import { pagesOf, pathOf } from '../router.js';
import { signOut } from '../net/session.js';
import { pause } from '../pages/pause.js';
import { mayActFor, mayOperate, readsAll } from '../pages/rights.js';
import { actionsOf } from '../pages/workspace-actions.js';
import { inline } from '../text/safe.js';
import { sentenceOf } from './action.js';
import { confirm, openDialog } from './dialog.js';
import { openKeys } from './keys.js';
import { glyphOf, statusWord, toneOf } from './status-mark.js';
import { toast } from './toast.js';
import { SETTINGS, chooseZone, keepSetting, zones } from './user-menu.js';

const MAX_ROWS = 8;
const OPS = ['health', 'jobs', 'settings', 'access', 'audit'];
const FOR_OPERATORS = new Set(['access', 'audit']);

/** Actions on a workspace. Those with a `text` ask for confirmation with it; `done` is the message afterwards. */
const VERBS = [
  { word: 'Open' },
  { word: 'Pause', done: 'paused', text: 'Messages that wait stay where they are, and nothing is lost.' },
  { word: 'Resume', done: 'resumed', text: 'It takes messages again.' },
  { word: 'Restart', done: 'restart requested; its next heartbeat tells it',
    text: 'Its agent ends, and its supervisor starts it again.' },
  { word: 'Message' },
  { word: 'Remove', ofOperators: true },
];

/** Opens the palette. @param {object} context the context of the pages */
export function showPalette(context) {
  let query = '';
  let chosen = 0;
  let found = search(context, query);
  let draw = () => {};

  const unfollow = context.fleet?.onChange((touched) => {
    const listed = new Set(found.map(({ id }) => id));
    const left = MAX_ROWS - found.filter(({ kind }) => kind === 'workspace').length;
    const more = workspaces(context, wordsOf(query), touched).filter(({ id }) => !listed.has(id)).slice(0, left);
    if (more.length > 0 || touched === null) {
      found = [...found, ...more]; // at the end: what Enter runs does not change
      draw();
    }
  });

  return openDialog({
    title: 'Go to, or do',
    wide: true,
    body: (close, redraw) => {
      draw = redraw;
      const run = (entry) => {
        close();
        Promise.resolve(entry.run()).catch((failure) => toast(sentenceOf(failure), { isBad: true }));
      };
      const typed = (event) => {
        query = event.target.value;
        found = search(context, query);
        chosen = 0;
        redraw();
      };
      const key = (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && found.length > 0) {
          event.preventDefault();
          chosen = (chosen + step + found.length) % found.length;
          redraw();
          document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: 'nearest' });
        } else if (event.key === 'Enter' && found[chosen]) {
          event.preventDefault();
          run(found[chosen]);
        }
      };
      return html`<input class="palette-field" role="combobox" aria-label="Page, workspace or action"
          aria-expanded="true" aria-autocomplete="list"
          aria-controls="palette-list" aria-activedescendant=${found.length > 0 ? `palette-${chosen}` : nothing}
          autocomplete="off" spellcheck="false"
          placeholder="a page, a name, pause …" autofocus .value=${query} @input=${typed} @keydown=${key}>
        <ul id="palette-list" class="palette-list" role="listbox"
            aria-label="Found">${found.map((entry, index) => html`<li id=${`palette-${index}`}
          role="option" aria-selected=${index === chosen} @click=${() => run(entry)}
          @pointermove=${() => { if (chosen !== index) { chosen = index; redraw(); } }}>
          ${entry.glyph ?? nothing}<span>${entry.verb
            ? html`${entry.verb} ` : nothing}<bdi>${inline(entry.name, { most: 80 })}</bdi></span>
          <span class="meta">${entry.kind}</span></li>`)}</ul>
        <p class="meta" role="status">${found.length === 0
          ? noneText(context.fleet)
          : html`<kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Enter</kbd> goes · <kbd>Esc</kbd> closes`}</p>`;
    },
  }).finally(() => unfollow?.());
}

const noneText = (fleet) => (!fleet || fleet.isLoaded
  ? 'Nothing has this name.' : fleet.failure || 'Loading the fleet…');

const wordsOf = (query) => query.toLowerCase().split(/\s+/).filter((word) => word !== '');

/** Returns the entries that match every word of the query: pages and actions first, then workspaces. */
function search(context, query) {
  const words = wordsOf(query);
  const fixed = entries(context).filter(({ name, kind }) =>
    words.every((word) => `${name} ${kind}`.toLowerCase().includes(word)));
  return [...fixed, ...workspaces(context, words)];
}

function entries(context) {
  const { navigate, session } = context;
  const list = pagesOf(session.current())
    .map(([key, { title }]) => ({ kind: 'page', name: title, run: () => navigate(pathOf(key)) }));
  if (readsAll(session)) {
    list.push({ kind: 'page', name: 'Bulk runs', run: () => navigate('/ui/bulk') });
    for (const tab of OPS.filter((one) => mayOperate(session) || !FOR_OPERATORS.has(one))) {
      list.push({ kind: 'page', name: `Operations: ${tab}`, run: () => navigate('/ui/ops', { tab }) });
    }
  }
  if (mayOperate(session)) {
    list.push({ kind: 'action', name: 'New workspace', run: () => navigate('/ui/welcome') });
    list.push({ kind: 'action', name: 'Make a link for a viewer', run: () => navigate('/ui/ops', { tab: 'access' }) });
  }
  for (const [name, { label, values }] of Object.entries(SETTINGS)) {
    for (const [value, word] of Object.entries(values)) {
      list.push({ kind: 'action', name: `${label}: ${word}`, run: () => keepSetting(name, value) });
    }
  }
  for (const [tz, word] of zones()) {
    list.push({ kind: 'action', name: `Time zone: ${word}`, run: () => chooseZone(tz) });
  }
  list.push({ kind: 'action', name: 'Show the keys', run: openKeys });
  list.push({ kind: 'action', name: 'Sign out', run: () => signOut() });
  list.push({ kind: 'action', name: 'Sign out everywhere', run: () => signOut(true) });
  return list;
}

/**
 * Returns at most {@link MAX_ROWS} workspaces that match by name or id. A first word may select the action: `pause rev`
 * offers to pause Reviewer 4711. With `touched` only these rows are searched; null searches all.
 */
function workspaces(context, words, touched = null) {
  const store = context.fleet?.store;
  if (!store || words.length === 0) {
    return [];
  }
  const asked = VERBS.find(({ word }) => words[0].length > 1 && word.toLowerCase().startsWith(words[0])
    && words.length > 1);
  const names = asked ? words.slice(1) : words;
  const list = [];
  for (const row of touched === null ? Array(store.n).keys() : new Set(touched)) {
    if (list.length === MAX_ROWS) {
      break;
    }
    if (!store.alive[row]) {
      continue;
    }
    const name = store.name(row);
    const lower = store.lower(row);
    if (names.every((word) => lower.includes(word) || store.id(row) === word)) {
      const entry = entryOf(context, asked ?? VERBS[0], store.id(row), name, store.statusOf(row));
      if (entry !== null) {
        list.push(entry);
      }
    }
  }
  return list;
}

function entryOf({ call, navigate, session }, verb, id, name, status) {
  const glyph = html`<svg class="status-glyph ${toneOf(status)}" role="img"
      aria-label=${statusWord(status)}><use href=${glyphOf(status)}></use></svg>`;
  const entry = { kind: 'workspace', id, name, glyph, verb: verb.word === 'Open' ? '' : verb.word };
  if (verb.word === 'Open') {
    return { ...entry, run: () => navigate(`/ui/w/${id}`) };
  }
  if (!mayActFor(session, id) || (verb.ofOperators && !mayOperate(session))) {
    return null;
  }
  if (verb.word === 'Remove') {
    const { remove } = actionsOf(call, id, () => ({ name }), 
      ({ bulk_id: run }) => (run ? navigate(`/ui/bulk/${run}`) : toast(`${name}: removed`)));
    return { ...entry, run: remove };
  }
  if (verb.word === 'Message') {
    return { ...entry, run: () => navigate(`/ui/w/${id}`, { tab: 'chat', focus: 'write' }) };
  }
  const path = `/workspaces/${id}/${verb.word.toLowerCase()}`;
  return {
    ...entry,
    run: async () => {
      const ask = (run) => confirm({
        title: html`${verb.word} <bdi>${inline(name, { most: 80 })}</bdi>?`,
        text: html`<p>${verb.text}</p>`,
        action: verb.word,
        requests: [{ method: 'POST', path }],
        run,
      });
      const done = await (verb.word === 'Pause' ? pause(call, id, ask) : ask(() => call('POST', path)));
      if (done) {
        toast(`${name}: ${verb.done}${done === 'branch' ? ' with all below it' : ''}`);
      }
    },
  };
}

const ANYWHERE = [
  ['Ctrl K', 'find a page, a workspace or an action'],
  ['?', 'this sheet'],
];
const OF_FLEET = [
  ['/', 'filter the fleet'],
  ['j k or arrows', 'move in the table'],
  ['Enter', 'open'], ['.', 'apply the order of rows'],
  ['Esc', 'close'],
];
const OF_OPERATORS = [['x', 'select']];
const OF_TIMES = [['t', 'the band of times'], ['[ ]', 'previous, next change']];

/** Shortcuts that work while the list is open: they close it and then act on the page. */
const ACT = new Set(['g', '/', 'j', 'k', 'x', '.', 't', '[', ']']);

/**
 * Opens the list of shortcuts, in which single-key shortcuts can be turned off.
 *
 * @param {{key: string, title: string}[]} places pages and their letters after `g`
 * @param {typeof import('../net/session.js')} session
 */
export function showKeys(places, session) {
  const all = [...ANYWHERE, ...places.map(({ key, title }) => [`g then ${key}`, title.toLowerCase()]), ...OF_FLEET,
    ...(mayOperate(session) ? OF_OPERATORS : []), ...(readsAll(session) ? OF_TIMES : [])];
  return openDialog({
    title: 'Keys',
    endsBy: (key) => document.documentElement.dataset.keys !== 'off' && ACT.has(key),
    body: (close, redraw) =>
      html`<dl class="keys">${all.map(([keys, words]) => html`<div><dt>${keys.split(' ').map((key) =>
        ['then', 'or', 'arrows'].includes(key)
          ? html` ${key} ` : html`<kbd>${key}</kbd> `)}</dt><dd>${words}</dd></div>`)}</dl>
      <label class="check"><input type="checkbox" .checked=${document.documentElement.dataset.keys !== 'off'}
        @change=${(event) => { keepSetting('keys', event.target.checked ? 'on' : 'off'); redraw(); }}>
            Single-key shortcuts</label>
      <p class="meta">Kept in this browser. All that keys do can be done without them.</p>`,
  });
}
