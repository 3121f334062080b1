/** Finds a workspace by name or role, for pages that show one workspace at a time. */
import { html, nothing, render } from 'lit-html';
import { navigate } from '../router.js';
import { Loaded, drawn, empty } from './loaded.js';
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

function pick(root, { title, text, path }, call) {
  const close = pickWorkspace(root, { call, title, text, choose: (id) => navigate(path, { ws: id }) });
  return { update() {}, close };
}

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {typeof import('../net/api.js').call} options.call
 * @param {string} options.title
 * @param {string} options.text why a workspace has to be chosen
 * @param {(id: string) => void} options.choose
 * @returns {() => void} ends it
 */
function pickWorkspace(root, { call, title, text, choose }) {
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
    : html`<ul class="choices">${list.map((row) => html`<li><button type="button" @click=${() => choose(row.id)}>Show</button> ${workspaceLink(row.id)}</li>`)}</ul>
      ${list.length === MOST ? html`<p class="meta">The first ${MOST}; type more of the name.</p>` : nothing}`;

  function draw() {
    render(html`<header class="page-head"><h1>${title}</h1></header><p>${text}</p>
      <div class="filters"><label class="choice"><span>Workspace</span><input type="search" autocomplete="off" placeholder="name or role" @input=${type}></label></div>
      ${drawn(found, rows)}`, root);
  }

  draw();
  found.refresh();
  return () => found.close();
}
