/** Draws the frame around every page: top bar, navigation, banner and user menu. */
import { html, nothing, render } from 'lit-html';
import { PAGES, pagesOf, pathOf } from './router.js';
import { title } from './parts/title.js';
import { applySettings, userMenu } from './parts/user-menu.js';
import { number } from './text/time.js';

/** Banner kinds by priority, highest first. Only one banner is shown at a time. */
const BANNERS = ['connection', 'absence', 'mass-silence'];

/** Page → what is counted beside its title, by the summary of the fleet. */
const COUNTS = {
  delegations: ({ delegations }) => counted(delegations.stuck, html` stuck`),
  queue: ({ queue }) => counted(queue.waiting, html` <span class="hidden-label">waiting</span>`),
};

/**
 * Builds the frame.
 *
 * @param {HTMLElement} root
 */
export function frame(root) {
  applySettings();
  render(
    html`<a class="skip" href="#page">Skip to the page</a>
      <header class="bar" id="bar"></header>
      <div class="banner" id="banner" role="status" hidden></div>
      <main id="page" tabindex="-1"></main>`,
    root,
  );
  const bar = root.querySelector('#bar');
  const main = root.querySelector('#page');
  const banners = new Map();
  let shown = '';
  let drawBar = () => {};
  let summary = null;

  /** Replaces the content of the page area. @returns {HTMLElement} an empty element for the next page */
  function page() {
    const section = document.createElement('div');
    section.className = 'page';
    main.replaceChildren(section);
    return section;
  }

  /** Draws the top bar and sets the document's title. Moves the focus to the page area when the page changes. */
  function draw(place, who) {
    const name = place.segments[0];
    drawBar = () => render(topBar(name, who, summary), bar);
    drawBar();
    if (PAGES[name]?.title || shown !== name || who === null) { // a page without a title here sets its own
      title(PAGES[name]?.title ? `${PAGES[name].title} · Muster` : 'Muster');
    }
    if (shown !== '' && shown !== name) {
      main.focus({ preventScroll: true });
    }
    shown = name;
  }

  /** Shows the counts of a summary in the navigation. @param {?object} next null shows none */
  function count(next) {
    if (next !== summary) {
      summary = next;
      drawBar();
    }
  }

  /** Draws the message for a url that is not a page, with links to the pages that exist. */
  function unknown(place, who) {
    render(
      html`<h1>No such page</h1>
        <p><bdi>${place.path}</bdi> is not a page of this console. These are:</p>
        <ul>
          ${pagesOf(who).map(([key, { title }]) => html`<li><a href=${pathOf(key)}>${title}</a></li>`)}
        </ul>`,
      page(),
    );
  }

  /** Draws the reason why the page could not be loaded, with a button to try again. */
  function failed(failure, again) {
    render(
      html`<div class="notice bad" role="alert">
        <h1>This page could not be loaded</h1>
        <p>${failure.detail ?? failure.message}</p>
        <button type="button" @click=${again}>Try again</button>
      </div>`,
      page(),
    );
  }

  /**
   * Sets or removes the banner of a kind. Shows the banner of the highest priority that is set.
   *
   * @param {'connection' | 'absence' | 'mass-silence'} kind
   * @param {?string} text null removes the banner
   * @param {object} [more]
   * @param {{label: string, run: () => void}} [more.action] a button in the banner
   * @param {string} [more.countdown] a text that changes each second, so screen readers do not speak it
   */
  function banner(kind, text, { action, countdown = '' } = {}) {
    if (text === null) {
      banners.delete(kind);
    } else {
      banners.set(kind, { text, action, countdown });
    }
    const place = root.querySelector('#banner');
    const first = BANNERS.find((one) => banners.has(one));
    const shownOne = banners.get(first);
    place.hidden = first === undefined;
    place.dataset.kind = first ?? '';
    render(
      shownOne === undefined
        ? nothing
        : html`<span>${shownOne.text}<span aria-hidden="true">${shownOne.countdown}</span></span> ${
            shownOne.action
              ? html`<button type="button" class="small"
                  @click=${shownOne.action.run}>${shownOne.action.label}</button>`
              : nothing
          }`,
      place,
    );
  }

  return { page, draw, count, unknown, failed, banner };
}

const counted = (count, word) => (count > 0 ? html` <span class="count">${number(count)}${word}</span>` : nothing);

function topBar(name, who, summary) {
  return html`<a class="brand" href="/"><span class="mark" aria-hidden="true"></span>Muster</a>
    ${
      who === null
        ? nothing
        : html`<nav aria-label="Pages">
              ${pagesOf(who).map(
                ([key, { title }]) =>
                  html`<a href=${pathOf(key)} aria-current=${key === name ? 'page' : nothing}
                    >${title}${summary === null ? nothing : COUNTS[key]?.(summary)}</a
                  >`,
              )}
            </nav>
            <div class="state" id="connection" role="status"></div>
            ${userMenu(who)}`
    }`;
}
