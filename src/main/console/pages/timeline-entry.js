/** Draws one entry of a timeline. */
import { html, nothing } from 'lit-html';
import { clock } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { stateWord } from '../parts/state-word.js';
import { statusMark } from '../parts/status-mark.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { duration } from '../text/time.js';
import { block, inline } from '../text/safe.js';

/** kind of an entry → [glyph, word] */
export const KIND = {
  status: ['●', 'status'],
  message: ['✉', 'message'],
  answer: ['↩', 'answer'],
  notification: ['✎', 'notification'],
  queue: ['◔', 'queue'],
  delegation: ['⇄', 'delegation'],
  run: ['▶', 'run'],
  activity: ['·', 'activity'],
  heartbeat: ['♥', 'heartbeat'],
};

/** [member of `refs`, label] */
const REFS = [['message_id', 'message'], ['delegation_id', 'delegation'], ['run_id', 'run'],
  ['queue_id', 'queue entry'], ['activity_id', 'activity']];

/**
 * Returns an entry.
 *
 * @param {object} entry of `/console/timeline`
 * @param {{found: object[], opened: boolean, toggle: () => void, workspace: object, focused: boolean}} view `found` are
 *   all entries that are shown
 */
export function entryLine(entry, { found, opened, toggle, workspace, focused }) {
  const [glyph, word] = KIND[entry.kind] ?? ['·', entry.kind];
  const refs = entry.refs ?? {};
  return html`<li class="entry kind-${entry.kind}" data-key="${entry.kind}:${entry.id}"
      aria-current=${focused ? 'true' : nothing}>
      <span class="entry-time">${clock(entry.at)}</span>
      <span class="entry-dot" title=${word}><span aria-hidden="true">${glyph}</span><span
          class="off-screen">${word}</span></span>
      <div class="entry-body">
        <p class="entry-title"><button type="button" class="disclose" aria-expanded=${opened}
            @click=${toggle}>${inline(entry.title, { empty: word })}</button>
          ${entry.status ? entry.kind === 'status' ? statusMark(entry.status) : stateWord(entry.status) : nothing}
          ${entry.duration_ms !== null && entry.duration_ms !== undefined
            ? html`<span class="meta">${entry.duration_ms < 1000
              ? `${entry.duration_ms} ms` : duration(entry.duration_ms / 1000)}</span>` : nothing}</p>
        ${entry.text ? html`<p class="entry-text">${inline(entry.text, { most: opened ? 400 : 140 })}</p>` : nothing}
        ${entry.cause ? html`<p class="entry-cause meta">${causeWords(entry, found)}</p>` : nothing}
        ${opened ? details(entry, refs, workspace) : nothing}
      </div></li>`;
}

/** Returns the cause of an entry: as a fact when ids prove it, otherwise as a guess by time. */
export function causeWords({ cause }, found) {
  const known = found.find((one) => one.kind === cause.kind && String(one.id) === String(cause.id));
  const [, word] = KIND[cause.kind] ?? ['', cause.kind];
  const what = known?.title
    ? html`${word} ${inline(known.title, { most: 60 })}` : html`${word} ${inline(cause.id, { most: 40 })}`;
  return cause.sure ? html`caused by ${what}` : html`perhaps because of ${what}: by time only`;
}

/** Returns the address of an entry, with what followed within a minute. */
function addressOf(entry, workspace) {
  const before = new Date(Date.parse(entry.at) + 60_000).toISOString();
  return `/ui/w/${workspace.id}?${new URLSearchParams({ tab: 'timeline', before,
    focus: `${entry.kind}:${entry.id}` })}`;
}

function details(entry, refs, workspace) {
  return html`<dl class="facts-line">${refs.peer_id
    ? html`<div><dt>other side</dt><dd>${workspaceLink(refs.peer_id)}</dd></div>`
    : nothing}${REFS.filter(([name]) => refs[name]).map(([name, words]) => html`<div><dt>${words}</dt>
      <dd><code>${inline(refs[name])}</code>${copyButton(String(refs[name]), `${words} id`)}</dd></div>`)}</dl>
    <p class="entry-links">${refs.delegation_id
      ? html`<a href="/ui/trace/${encodeURIComponent(refs.delegation_id)}">whole trace</a>` : nothing}
      ${refs.run_id
        ? html`<a href="/ui/w/${workspace.id}?tab=runs&focus=run:${encodeURIComponent(refs.run_id)}">output</a>`
        : nothing}
      ${refs.queue_id ? html`<a href="/ui/w/${workspace.id}?tab=queue">queue</a>` : nothing}
      ${entry.kind === 'heartbeat' ? nothing : html`<a href=${addressOf(entry, workspace)}>link to this</a>`}</p>
    ${entry.text && entry.text.length >= 140 ? block(entry.text) : nothing}`;
}
