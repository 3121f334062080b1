/** Finds a workspace by name or role, for pages that show one workspace at a time. */
import { html, nothing, render } from 'lit-html';
import { inline } from '../text/safe.js';
import { Loaded, drawn, empty } from './loaded.js';
import { statusMark } from './status-mark.js';
import { remember, workspaceLink } from './workspace-link.js';

const MOST = 20;
const TYPED_MS = 250;

/**
 * Makes a page of one that shows one workspace: as a tab it has one, else the address names it (`ws`), or one is chosen.
 *
 * @param {{title: string, text: string, path: string}} words `text` says why a workspace has to be chosen
 * @param {(root: HTMLElement, place: object, context: object, id: string, inTab: boolean) => object} openOf
 */
export function ofOneWorkspace(words, openOf) {
  return (root, place, context) => {
    if (context.workspace !== undefined) {
      return openOf(root, place, context, context.workspace.id, true);
    }
    let shown = null;
    const show = (next) => {
      const id = next.query.get('ws');
      if (shown !== null && shown.id === id) {
        shown.page.update(next);
        return;
      }
      shown?.page.close();
      const inner = document.createElement('div');
      root.replaceChildren(inner);
      shown = { id, page: id === null ? pick(inner, words, context.call) : openOf(inner, next, context, id, false) };
    };
    show(place);
    return { update: show, close: () => shown.page.close() };
  };
}

/** The head of such a page, outside of a tab. */
export const headOf = ({ title, path }, id) =>
  html`<header class="page-head"><h1>${title}</h1><span>of ${workspaceLink(id)}</span><a href=${path}>another workspace</a></header>`;

/** Lists workspaces by name or role, each with the address of its page. */
function pick(root, { title, text, path }, call) {
  let typed = '';
  const found = new Loaded(async (signal) => {
    const rows = await call('GET', '/workspaces', { query: { q: typed, limit: MOST }, signal });
    rows.forEach((row) => remember(row.id, row));
    return rows;
  }, draw);

  function type(event) {
    typed = event.target.value;
    found.soon(TYPED_MS);
  }

  const rows = (list) => list.length === 0
    ? empty(typed ? 'No workspace has such a name or role.' : 'There is no workspace yet.')
    : html`<ul class="choices">${list.map((row) => html`<li><a href=${`${path}?ws=${encodeURIComponent(row.id)}`}>${inline(row.name, { most: 80 })}</a>
          ${statusMark(row.status, { stalled: row.stalled })} <span class="meta">${inline(row.role ?? '', { most: 80 })}</span></li>`)}</ul>
      ${list.length === MOST ? html`<p class="meta">The first ${MOST}; type more of the name.</p>` : nothing}`;

  function draw() {
    render(html`<header class="page-head"><h1>${title}</h1></header><p>${text}</p>
      <div class="filters"><label class="choice"><span>Workspace</span><input type="search" autocomplete="off" placeholder="name or role" @input=${type}></label></div>
      ${drawn(found, rows)}`, root);
  }

  draw();
  found.refresh();
  return { update() {}, close: () => found.close() };
}
