/** The tab *Access* of operations: sessions, links, and tokens of people and programs. */
import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { action, sentenceOf } from '../parts/action.js';
import { copyButton } from '../parts/copy.js';
import { asCurl, commandLine } from '../parts/curl.js';
import { confirm, openDialog } from '../parts/dialog.js';
import { Loaded, drawn, empty } from '../parts/loaded.js';
import { age, until } from '../parts/moment.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { curlOf } from '../text/curl.js';
import { inline } from '../text/safe.js';

const EVERY_MS = 10_000;
/** [lifetime in seconds, label] */
const LIFETIMES = [[600, '10 minutes'], [3600, 'an hour'], [28_800, '8 hours'], [86_400, 'a day']];

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, { call, session }) {
  const list = (path, member) =>
    new Loaded(async (signal) => (await call('GET', path, { signal }))[member], draw).every(EVERY_MS);
  const sessions = list('/console/sessions', 'sessions');
  const links = list('/console/links', 'links');
  const tokens = list('/admin/tokens', 'tokens');
  const all = [sessions, links, tokens];

  const end = (loaded, path, title, text, word) => confirm({
    title,
    text: html`<p>${text}</p>`,
    action: word,
    danger: true,
    requests: [{ method: 'DELETE', path }],
    run: async () => {
      await call('DELETE', path);
      await loaded.refresh();
    },
  });

  const endSession = (one) =>
    end(sessions, `/console/sessions/${one.id}`, html`End the session of ${inline(one.name)}?`,
    'Its pages are signed out, and its streams closed, within 5 seconds.', 'End');
  const endLink = (one) => end(links, `/console/links/${one.id}`, html`Take back the link for ${inline(one.name)}?`,
    'It does not sign in any more.', 'Take back');
  const revoke = (one) => end(tokens, `/admin/tokens/${one.id}`, html`Revoke the token ${inline(one.name)}?`,
    'It stops working within 5 seconds, and so do the sessions and links that came from it. This cannot be undone.',
    'Revoke');

  async function makeLink() {
    const made = await ask(call, 'Make a link for a viewer',
      (name, seconds) => ({ path: '/console/links', body: { role: 'viewer', name, ttl_s: seconds } }));
    if (made) {
      links.refresh();
      await showOnce('The new link', 'It signs one person in, once. It is shown this once.', made.url, 'link');
    }
  }

  async function mint() {
    const made = await ask(call, 'Mint a token that only reads',
      (name, seconds) => ({ path: '/admin/tokens', body: { role: 'viewer', name, expires_in_s: seconds } }),
      { forever: true });
    if (made) {
      tokens.refresh();
      await showOnce('The new token', 'It is shown this once. Muster keeps only its hash: copy it now.',
        made.auth_token, 'token');
    }
  }

  const name = (one) => html`<bdi>${inline(one.name)}</bdi>${one.id === session.current()?.id
    ? html` <span class="meta">this session</span>` : nothing}`;

  const table = (label, heads, rows, row) =>
    html`<div class="table-frame" tabindex="0" role="region" aria-label=${label}><table class="rows">
      <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}<th
          scope="col"><span class="off-screen">Actions</span></th></tr></thead>
      <tbody>${repeat(rows, (one) => one.id, row)}</tbody></table></div>`;

  const ofSessions = (rows) => rows.length === 0
    ? empty('No session is live.') : table('Sessions', ['Name', 'Role', 'Last seen', 'Since', 'Ends'],
    [...rows].sort((a, b) => (a.last_used_at < b.last_used_at ? 1 : -1)), (one) => html`<tr>
      <td data-label="Name">${name(one)}</td>
      <td data-label="Role">${one.role}${one.workspace_id ? html` of ${workspaceLink(one.workspace_id)}` : nothing}</td>
      <td data-label="Last seen">${age(one.last_used_at)}</td><td data-label="Since">${age(one.created_at)}</td>
      <td data-label="Ends">${until(one.expires_at)}</td>
      <td class="actions">${action('End', () => endSession(one))}</td></tr>`);

  const ofLinks = (rows) => rows.length === 0
    ? empty('No link is open.', html`<p>A link signs one person in, once. Viewers read all and change nothing.</p>`)
    : table('Links', ['For', 'Role', 'Made', 'Ends'], rows, (one) => html`<tr>
      <td data-label="For"><bdi>${inline(one.name)}</bdi></td><td data-label="Role">${one.role}</td>
      <td data-label="Made">${age(one.created_at)}</td><td data-label="Ends">${until(one.expires_at)}</td>
      <td class="actions">${action('Take back', () => endLink(one))}</td></tr>`);

  const ofTokens = (rows) => rows.length === 0
    ? empty('No token of people or programs.', html`<p>A token that only reads is for dashboards and scripts.</p>`)
    : table('Tokens', ['Name', 'Role', 'Token', 'Made by', 'Last used', 'Ends'], rows, (one) => html`<tr>
      <td data-label="Name"><bdi>${inline(one.name)}</bdi></td><td data-label="Role">${one.role}</td>
      <td data-label="Token"><code>${inline(one.prefix)}…</code></td>
      <td data-label="Made by"><bdi>${inline(one.created_by)}</bdi></td>
      <td data-label="Last used">${one.last_used_at
        ? age(one.last_used_at) : html`<span class="meta">never</span>`}</td>
      <td data-label="Ends">${one.expires_at ? until(one.expires_at) : html`<span class="meta">never</span>`}</td>
      <td class="actions">${one.role === 'viewer'
        ? action('Revoke', () => revoke(one)) : html`<span class="meta">by the admin token</span>`}</td></tr>`);

  const operatorLink = curlOf({ path: '/console/links', body: { role: 'operator', name: 'night shift' } });

  function draw() {
    render(html`<section><div class="section-head"><h2>Sessions</h2></div>${drawn(sessions, ofSessions)}</section>
      <section><div class="section-head"><h2>Links</h2>
          ${action('Make a link', makeLink, { hint: 'For a viewer, who only reads' })}</div>
        ${drawn(links, ofLinks)}
        <details class="more"><summary>A link for an operator</summary><p
            class="meta">Operators’ links and tokens are made with the admin token alone, which no page has:</p>
          ${commandLine(operatorLink)}</details></section>
      <section><div class="section-head"><h2>Tokens of people and programs</h2>
          ${action('Mint a token', mint, { hint: 'Of a viewer, shown once' })}</div>
        ${drawn(tokens, ofTokens)}<p class="meta">Tokens of agents are on the page <a
            href="/ui/tokens">Tokens</a>.</p></section>
      <footer class="page-foot">${asCurl({ path: '/console/sessions' }, { path: '/console/links' },
        { path: '/admin/tokens' })}</footer>`, root);
  }

  draw();
  all.forEach((one) => one.refresh());
  return { update: () => draw(), close: () => all.forEach((one) => one.close()) };
}

/**
 * Asks for a name and a lifetime, and sends the POST request that `requestOf` returns for them. Its error is shown in
 * the dialog.
 */
function ask(call, title, requestOf, { forever = false } = {}) {
  let refusal = '';
  let busy = false;
  let name = '';
  let seconds = forever ? null : LIFETIMES[0][0];
  return openDialog({
    title,
    body: (close, redraw) => {
      const submit = async (event) => {
        event.preventDefault();
        busy = true;
        redraw();
        try {
          const { path, body } = requestOf(name.trim(), seconds);
          close(await call('POST', path, { body }));
        } catch (failure) {
          busy = false;
          refusal = sentenceOf(failure);
          redraw();
        }
      };
      const typed = ({ target }) => {
        name = target.value;
        redraw();
      };
      const chosen = ({ target }) => {
        seconds = target.value === '' ? null : Number(target.value);
        redraw();
      };
      return html`<form @submit=${submit}>
        <label class="field"><span>For whom or what, as the audit will say</span><input required maxlength="100"
            autocomplete="off" autofocus @input=${typed}></label>
        <label class="field"><span>Good for</span><select @change=${chosen}>${forever
          ? html`<option value="">until it is revoked</option>` : nothing}
          ${LIFETIMES.map(([seconds, words]) => html`<option value=${seconds}>${words}</option>`)}</select></label>
        ${asCurl(requestOf(name.trim() || 'night shift', seconds))}
        <p class="refusal" role="alert" ?hidden=${refusal === ''}>${refusal}</p>
        <div class="buttons"><button type="button" @click=${() => close()}>Cancel</button>
          <button type="submit" class="main" ?disabled=${busy}>${title.split(' ')[0]}</button></div></form>`;
    },
  });
}

/** Shows a secret until the dialog closes. It is not stored. */
function showOnce(title, words, secret, what) {
  return openDialog({
    title,
    wide: true,
    body: (close) => html`<div class="dialog-text"><p>${words}</p>
        <div class="command secret"><code tabindex="0">${secret}</code>${copyButton(secret, what)}</div></div>
      <div class="buttons"><button type="button" class="main" @click=${() => close()}>I have copied it</button></div>`,
  });
}
