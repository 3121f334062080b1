/** The page `/ui/ops` for operating Muster, with its tabs. */
import { html, nothing, render } from 'lit-html';
import { empty } from '../parts/loaded.js';
import { OpenedTab } from '../parts/opened-tab.js';
import { mayOperate, readsAll } from './rights.js';

/** tab → [label, module, whether only operators see it]; the modules have the interface of pages. */
const TABS = {
  health: ['Health', () => import('./health.js'), false],
  jobs: ['Jobs', () => import('./jobs.js'), false],
  settings: ['Settings', () => import('./settings.js'), false],
  access: ['Access', () => import('./access.js'), true],
  audit: ['Audit', () => import('./audit.js'), true],
};

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { session } = context;
  root.replaceChildren(document.createElement('div'), document.createElement('div'));
  const [top, below] = root.children;
  let query = place.query;
  const tab = new OpenedTab(below);

  const maySee = (name) => readsAll(session) && (!TABS[name][2] || mayOperate(session));
  const chosen = () => TABS[query.get('tab')] ? query.get('tab') : Object.keys(TABS)[0];
  const address = (name) =>
    `/ui/ops?${new URLSearchParams({ tab: name, ...(query.has('tz') ? { tz: query.get('tz') } : {}) })}`;

  function draw() {
    render(html`<header class="page-head"><h1>Operations</h1></header>
      <nav class="tabs" aria-label="Parts of operations">${Object.keys(TABS).filter(maySee).map((name) =>
        html`<a href=${address(name)}
            aria-current=${chosen() === name ? 'page' : nothing}>${TABS[name][0]}</a>`)}</nav>`, top);
  }

  function openTab() {
    const name = chosen();
    if (maySee(name)) {
      tab.open(name, TABS[name][1], (module, page) => module.open(page, { ...place, query }, context));
    } else {
      tab.show(name, readsAll(session)
        ? empty(`Only operators see this: ${TABS[name][0].toLowerCase()}.`,
          html`<p>Ask one for a link of theirs, or sign in with an operator’s token.</p>`)
        : empty('Agents do not see how Muster is run.',
          html`<p><a href="/">The fleet</a> shows what you may see.</p>`));
    }
  }

  draw();
  openTab();
  return {
    update(next) {
      query = next.query;
      draw();
      if (tab.name === chosen()) {
        tab.update({ ...next, query });
      } else {
        openTab();
      }
    },
    close: () => tab.close(),
  };
}
