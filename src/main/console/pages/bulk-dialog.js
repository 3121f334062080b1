/** The dialog before a bulk run: shows how many workspaces it will change, and why it skips others. */
import { html, nothing } from 'lit-html';
import { call } from '../net/api.js';
import { sentenceOf } from '../parts/action.js';
import { asCurl, asCurlOfMany } from '../parts/curl.js';
import { openDialog } from '../parts/dialog.js';
import { statusMark } from '../parts/status-mark.js';
import { inline } from '../text/safe.js';
import { counted, number } from '../text/time.js';

/** Action → its labels, and what it does. */
export const WORDS = {
  pause: { title: 'Pause', done: 'paused', button: 'Pause',
    text: 'Their agents are told to stop working; messages wait or are stored. It can be undone.' },
  resume: { title: 'Resume', done: 'resumed', button: 'Resume',
    text: 'Each is online again with its next heartbeat. It can be undone.' },
  restart: { title: 'Restart the agents of', done: 'asked to restart', button: 'Restart',
    text: 'Each agent hears it with its next heartbeat. An agent that does not know the request goes on.' },
  message: { title: 'Send a message to', done: 'sent the message', button: 'Send to',
    text: 'Each gets it as a message of the canvas, in its feed or its queue.' },
  remove: { title: 'Remove', done: 'removed', button: 'Remove',
    text: 'Tokens are revoked, delegations end as failed, queued messages are dropped. This cannot be undone.' },
};
const BRANCHING = ['pause', 'resume', 'remove'];
const NAMED = 8;

/**
 * Opens the dialog, and starts the run when the user confirms.
 *
 * @param {keyof WORDS} action
 * @param {{filter: string} | {ids: string[]}} which the workspaces
 * @returns {Promise<?object>} the run; undefined when the user cancelled
 */
export function askForBulk(action, which) {
  const words = WORDS[action];
  const typed = { cascade: false, text: '', note: '', count: '' };
  let preview = null;
  let refusal = '';
  let isBusy = false;
  let requests = 0;

  const body = () => ({
    action,
    ...which,
    ...(typed.cascade ? { cascade: true } : {}),
    ...(typed.text ? { text: typed.text } : {}),
    ...(typed.note ? { note: typed.note } : {}),
  });

  const request = (some) => ({ method: 'POST', path: '/admin/bulk',
    body: { ...body(), ...some, expect_count: preview?.count ?? 0 } });

  return openDialog({
    title: `${words.title} ${'ids' in which ? counted(which.ids.length, 'workspace') : 'all workspaces that match'}?`,
    wide: true,
    body: (close, redraw) => {
      const set = (changes) => {
        Object.assign(typed, changes);
        redraw();
      };
      const loadPreview = async () => {
        const request = ++requests;
        preview = null;
        try {
          // counting needs any text, since the server requires one for a message
          const found = await call('POST', '/admin/bulk',
            { query: { dry_run: true }, body: { ...body(), text: typed.text || 'preview' } });
          preview = request === requests ? found : preview;
        } catch (failure) {
          refusal = sentenceOf(failure);
        }
        redraw();
      };
      const start = async (event) => {
        event.preventDefault();
        if (!isReady()) {
          return;
        }
        isBusy = true;
        refusal = '';
        redraw();
        try {
          close(await call('POST', '/admin/bulk', { body: { ...body(), expect_count: preview.count } }));
        } catch (failure) {
          isBusy = false;
          refusal = sentenceOf(failure);
          typed.count = '';
          failure.code === 'COUNT_CHANGED' ? loadPreview() : redraw();
        }
      };
      const isReady = () => !isBusy && preview !== null && preview.changes > 0
        && (action !== 'message' || typed.text.trim() !== '')
        && (action !== 'remove' || typed.count.replace(/[\s,.]/g, '') === String(preview.count));
      if (requests === 0) {
        loadPreview();
      }
      return html`<form class="bulk-ask" @submit=${start}>
        <p class="soft">${words.text}</p>
        ${preview === null ? html`<p class="loading" role="status">${refusal === '' ? 'Counting …' : ''}</p>`
          : shown(preview, words)}
        ${BRANCHING.includes(action)
          ? html`<label class="check"><input type="checkbox" .checked=${typed.cascade}
              @change=${(event) => { typed.cascade = event.target.checked; loadPreview(); redraw(); }}>
                  with all that is below them</label>`
          : nothing}
        ${action === 'message'
          ? html`<label class="field"><span>Message</span><textarea rows="4" maxlength="10000" autofocus
              .value=${typed.text}
              @input=${(event) => set({ text: event.target.value })}></textarea></label>`
          : action === 'restart'
            ? html`<label class="field"><span>Reason, for their agents (may be empty)</span><input type="text"
                maxlength="500" .value=${typed.text}
                @input=${(event) => set({ text: event.target.value })}></label>`
            : nothing}
        <label class="field"><span>Note, for the list of runs (may be empty)</span><input type="text" maxlength="500"
            .value=${typed.note}
          @input=${(event) => set({ note: event.target.value })}></label>
        ${action === 'remove' && preview !== null
          ? html`<label class="field"><span>Type the number of workspaces: ${preview.count}</span><input type="text"
              inputmode="numeric" autocomplete="off"
              .value=${typed.count} @input=${(event) => set({ count: event.target.value })}></label>`
          : nothing}
        ${'ids' in which ? asCurlOfMany((ids) => request({ ids }), which.ids) : asCurl(request({}))}
        <p class="refusal" role="alert" ?hidden=${refusal === ''}>${refusal}</p>
        <div class="buttons">
          <button type="button" @click=${() => close()}>Keep as it is</button>
          <button type="submit" class=${action === 'remove' ? 'danger' : 'main'} ?disabled=${!isReady()}>
            ${preview === null ? words.button : `${words.button} ${number(preview.changes)}`}${isBusy
              ? ' …' : ''}</button>
        </div>
      </form>`;
    },
  });
}

function shown({ count, changes, by_status: statuses, skips, sample }, words) {
  const left = sample.length > NAMED || changes > sample.length ? changes - Math.min(NAMED, sample.length) : 0;
  return html`<div class="bulk-preview" role="status">
    <p><b>${number(changes)}</b> of ${number(count)} will be ${words.done}${Object.keys(skips).length === 0
      ? '.' : ':'}</p>
    ${Object.keys(skips).length === 0
      ? nothing
      : html`<ul class="bulk-skips">${Object.entries(skips)
        .map(([why, many]) => html`<li><b>${number(many)}</b> not: ${why}</li>`)}</ul>`}
    <p class="bulk-statuses">${Object.entries(statuses)
      .map(([status, many]) => html`<span>${statusMark(status)} ${number(many)}</span>`)}</p>
    ${sample.length === 0
      ? nothing
      : html`<p class="soft bulk-sample">${sample.slice(0, NAMED)
        .map(({ name }, i) => html`${i === 0 ? nothing : ', '}${inline(name)}`)}${
          left > 0 ? ` and ${number(left)} more` : nothing}</p>`}
  </div>`;
}
