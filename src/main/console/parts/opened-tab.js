/** The tab of a page that is open: its module is loaded when the tab is first chosen. */
import { render } from 'lit-html';
import { problem } from './loaded.js';

export class OpenedTab {
  #root;
  #page = null;
  #handle = null;

  /** @param {HTMLElement} root where the tab is shown */
  constructor(root) {
    this.#root = root;
    /** @type {string | null} the name of the tab; null for none */
    this.name = null;
  }

  /**
   * Opens a tab in place of the one before. A module that cannot be loaded is said, with a way to try again.
   *
   * @param {string} name
   * @param {() => Promise<object>} load
   * @param {(module: object, page: HTMLElement) => object} start returns the handle of the page
   */
  async open(name, load, start) {
    const page = this.say(name);
    try {
      const module = await load();
      if (this.#page === page) {
        this.#handle = start(module, page);
      }
    } catch (failure) {
      if (this.#page === page) {
        this.name = null;
        render(problem(failure, () => this.open(name, load, start)), page);
      }
    }
  }

  /** Shows a sentence as the tab. @returns {HTMLElement} where it is */
  say(name, sentence = null) {
    this.close();
    this.name = name;
    this.#page = document.createElement('div');
    this.#root.replaceChildren(this.#page);
    if (sentence !== null) {
      render(sentence, this.#page);
    }
    return this.#page;
  }

  /** @param {import('../router.js').Place} place */
  update(place) {
    this.#handle?.update(place);
  }

  /** Hands on an event of the page. */
  event(frame) {
    this.#handle?.event?.(frame);
  }

  close() {
    this.#handle?.close();
    this.#handle = null;
    this.#page = null;
    this.name = null;
  }
}
