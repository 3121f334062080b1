/** The tab *Chat* of a workspace: the messages between the canvas and its agent. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { now } from '../net/clock.js';
import { action } from '../parts/action.js';
import { age } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl } from '../parts/curl.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { stateWord } from '../parts/state-word.js';
import { addressOf, block, inline } from '../text/safe.js';
import { maySendAgain, rowOf, turnsOf, withNewest, withOlder, wordsOf } from './chat-model.js';
import { outboxOf, requestOf } from './chat-outbox.js';
import { mayOperate, readsAll } from './rights.js';

const PAGE = 50;
const MAX_ROWS = 500;
const WATCH_MS = 3000;
const MAX_STATES = 500;
const MAX_PLACES = 20;
/** Least height of the messages, and the space around the field, in px. */
const [MIN_LOG, GAP] = [140, 24];

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call, session, workspace } = context;
  const id = workspace.id;
  const path = `/workspaces/${encodeURIComponent(id)}`;
  const box = outboxOf(id);
  const states = new Map();
  const [unread, readAt] = [new Set(), new Map()];
  let waiting = 0;
  let stickToEnd = true;

  const newest = new Loaded(readNewest, drawAtEnd);
  const forgetBox = box.onChange(() => {
    drawAtEnd();
    newest.soon(50);
  });

  async function readNewest(signal) {
    const page = await readPage({}, signal);
    watchReads(page);
    await readStates(page, signal);
    return stickToEnd ? page : withNewest(newest.value, page); // who reads older messages keeps them
  }

  /**
   * Reads a page of the history, then the rows of its messages. The rows are read second: a message without its row has
   * no message id, and would be shown beside the sent message that it is.
   */
  async function readPage(query, signal) {
    const history = await call('GET', `${path}/chat-history`,
      { query: { limit: PAGE, ...query }, signal });
    if (history.before_ts) {
      // it has only requests that are no messages
      return readPage({ before_ts: history.before_ts }, signal);
    }
    const { messages, reached_end, read_seq } = history;
    const rows = await rowsOf(messages, query, signal);
    return { messages, rows, reachedEnd: reached_end, readSeq: isPolling() ? read_seq : 0 };
  }

  /** Reads the rows of messages. Between these may be many requests that are no messages. */
  async function rowsOf(messages, query, signal) {
    const rows = [];
    const missing = new Set(messages.map((message) => rowOf(message.id)));
    for (let next = { limit: PAGE, ...query }; next !== null;) {
      const page = await call('GET', `${path}/activity`,
        { query: { source: 'canvas', type: 'a2a_receive', order: 'desc', ...next }, signal });
      rows.push(...page);
      page.forEach((row) => missing.delete(row.id));
      const last = page.at(-1)?.created_at;
      const mayFollow = missing.size > 0
        && Date.parse(last) >= Date.parse(messages[0].timestamp);
      next = mayFollow ? { limit: MAX_ROWS, before_ts: last } : null;
    }
    return rows;
  }

  const isPolling = () => workspace.record.delivery_mode === 'poll';

  /** Notes when a message is seen to be read: the server knows which rows the agent has read, but not since when. */
  function watchReads({ rows, readSeq }) {
    for (const { id: rowId, seq, data } of isPolling() ? rows : []) {
      if (data?.message_id && seq > readSeq) {
        unread.add(rowId);
      } else if (unread.delete(rowId)) {
        readAt.set(rowId, now());
      }
    }
  }

  /**
   * Reads the states of messages without an answer from the timeline, and the places of waiting ones from the queue.
   */
  async function readStates(known, signal) {
    const open = turnsOf({ ...known, states, sent: [] })
      .filter(({ role, state }) => role === 'user' && state !== 'answered');
    if (open.length === 0) {
      states.clear();
      return;
    }
    const query = { kinds: 'message', after: open[0].at, limit: MAX_STATES };
    const { entries } = await call('GET', `/console/timeline/${encodeURIComponent(id)}`, { query, signal });
    states.clear();
    entries.forEach((entry) => states.set(entry.id, { status: entry.status }));
    const inQueue = open.filter(({ rowId }) => states.get(rowId)?.status === 'waiting').slice(0, MAX_PLACES);
    if (inQueue.length === 0 || !readsAll(session)) {
      return;
    }
    const readPlace = async ({ rowId }) => {
      const entry = await call('GET', `${path}/a2a/queue/${rowId}`, { signal });
      const isInQueue = entry.state === 'waiting' || entry.state === 'delivering';
      states.set(rowId, { status: isInQueue ? entry.state : 'waiting', place: entry.queue_depth });
    };
    const reads = [call('GET', '/admin/a2a-queue/summary', { signal }), ...inQueue.map(readPlace)];
    const [summary] = await Promise.all(reads);
    waiting = summary.targets.find((target) => target.id === id)?.waiting ?? 0;
  }

  async function readOlder() {
    const first = newest.value.messages[0];
    const older = await readPage({ before_ts: first.timestamp });
    if (newest.value.messages[0].id !== first.id) {
      return; // a page that does not join on to these messages has come meanwhile
    }
    const before = log().scrollHeight;
    newest.value = withOlder(newest.value, older);
    stickToEnd = false;
    draw();
    log().scrollTop += log().scrollHeight - before;
  }

  const timer = setInterval(() => {
    const open = [...states.values()].some(({ status }) => status === 'waiting' || status === 'delivering');
    if (!document.hidden && (open || unread.size > 0 || box.sent.some((one) => one.state === 'sending'))) {
      newest.refresh();
    }
  }, WATCH_MS);

  const mayWrite = mayOperate(session);

  function submit(event) {
    event?.preventDefault();
    const text = box.draft;
    if (text.trim() === '') {
      return;
    }
    field().value = '';
    box.draft = '';
    stickToEnd = true;
    box.send(call, text);
  }

  const again = (turn) => box.send(call, turn.text, turn.messageId);

  const fileLine = (file) => {
    const href = addressOf(file.uri);
    const name = inline(file.name || file.uri || 'file');
    return html`<li>${href ? html`${name} <a href=${href} target="_blank" rel="noopener noreferrer">${href}</a>`
      : html`${name} ${file.uri && file.name ? inline(file.uri) : nothing}`}</li>`;
  };

  const bubble = (turn) => html`<li class="bubble ${turn.role}">
      <div class="bubble-head"><span class="speaker">${speaker(turn)}</span>
          <span class="meta">${age(turn.at)}</span></div>
      ${turn.text ? block(turn.text) : turn.files.length === 0 ? html`<p class="meta">no text</p>` : nothing}
      ${turn.files.length > 0 ? html`<ul class="files">${turn.files.map(fileLine)}</ul>` : nothing}
      ${turn.role === 'user' ? html`<div class="bubble-state">
        ${stateWord(turn.state === 'agent' ? 'delivering' : turn.state, wordsOf(turn, workspace.record.delivery_mode))}
        ${turn.note && turn.state !== 'answered'
          ? html`<span class="note">${inline(turn.note, { most: 400 })}</span>` : nothing}
        ${mayWrite && maySendAgain(turn)
          ? html`<button type="button" @click=${() => again(turn)}>Send again under the same id</button>` : nothing}
        ${turn.rowId === undefined && ['refused', 'uncertain'].includes(turn.state)
          ? html`<button type="button" class="quiet" @click=${() => box.forget(turn.messageId)}>Discard</button>`
          : nothing}
        ${turn.messageId ? copyButton(turn.messageId, 'message id') : nothing}</div>` : nothing}
    </li>`;

  const speaker = ({ role, author }) => role === 'agent' ? inline(workspace.record.name) : role !== 'user' ? 'Muster'
    : author ? inline(author) : 'The canvas';

  const conversation = () => {
    const turns = turnsOf({ ...newest.value, readAt, states, sent: box.sent, waiting, self: session.current()?.name });
    return html`${newest.value.reachedEnd ? nothing : html`<p class="older">${action('Older messages', readOlder)}</p>`}
      ${turns.length === 0
        ? empty('No messages yet.', html`<p>Write below, or let the agent begin:</p>`,
            asCurl({ method: 'POST', path: `${path}/notify`, body: { message: 'Hello.' } }))
        : html`<ol class="bubbles">${repeat(turns, (turn) => turn.key, bubble)}</ol>`}`;
  };

  const write = () => html`<form class="write" @submit=${submit}>
      <label class="off-screen" for="message">Message to the agent</label>
      <textarea id="message" rows="2" maxlength="200000" placeholder="Message. Enter sends, Shift+Enter begins a line"
        .value=${box.draft} @input=${onInput} @keydown=${onKey}></textarea>
      <button type="submit" class="main">Send</button></form>`;

  /** Keeps the draft, and draws *as curl* with it. */
  function onInput(event) {
    box.keepDraft(event.target.value);
    draw();
  }

  function onKey(event) {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      submit(event);
    }
  }

  const log = () => root.querySelector('.chat-log');
  const field = () => root.querySelector('#message');

  function draw() {
    render(html`<div class="chat"><div class="chat-log" role="log" aria-label="Chat" tabindex="0"
        @scroll=${onScroll}>${drawn(newest, conversation)}</div>
      ${mayWrite ? write() : html`<p class="meta">Only operators write to agents.</p>`}
      <footer class="page-foot">${asCurl({ path: `${path}/chat-history`, query: { limit: PAGE } },
        ...(mayWrite ? [requestOf(id, 'm-1', box.draft || 'Hello')] : []))}</footer></div>`, root);
  }

  /**
   * Makes the messages as high as the window leaves space for, so that the field below them is inside it. Where there
   * is no space, as on a phone, the chat gets a window's height of its own, and the page scrolls to it.
   */
  function fit() {
    const chat = root.querySelector('.chat');
    const above = log().getBoundingClientRect().top + scrollY;
    const space = innerHeight - above - (root.querySelector('.write')?.offsetHeight ?? 0) - GAP;
    chat.classList.toggle('alone', space < MIN_LOG);
    log().style.maxHeight = space < MIN_LOG ? '' : `${space}px`;
    if (stickToEnd) {
      log().scrollTop = log().scrollHeight;
    }
  }

  const showField = () => root.querySelector('.chat.alone') && log().scrollIntoView({ block: 'end' });

  function focusField() {
    field()?.focus({ preventScroll: true });
    showField();
  }

  function onScroll({ target }) {
    stickToEnd = target.scrollHeight - target.scrollTop - target.clientHeight < 40;
  }

  function drawAtEnd() {
    draw();
    if (stickToEnd) {
      log().scrollTop = log().scrollHeight;
    }
  }

  draw();
  const sizes = new ResizeObserver(fit); // what is above it may grow, as the causes of a status do
  sizes.observe(document.body);
  addEventListener('resize', fit);
  fit();
  showField();
  newest.refresh();
  if (place.query.get('focus') === 'write') {
    focusField();
  }
  return {
    update(next) {
      if (next.query.get('focus') === 'write') {
        focusField();
      }
    },
    event: (frame) => ['ACTIVITY_LOGGED', 'USER_MESSAGE', 'A2A_RESPONSE', 'AGENT_MESSAGE'].includes(frame.event)
      && newest.soon(100),
    close() {
      clearInterval(timer);
      sizes.disconnect();
      removeEventListener('resize', fit);
      forgetBox();
      newest.close();
    },
  };
}
