/** Holds the open tab of a page. The module of a tab is loaded when the tab is first opened. */
import { render } from 'lit-html';
import { problem } from './loaded.js';

export class OpenedTab {
  #root;
  #page = null;
  #handle = null;

  /** @param {HTMLElement} root its content is replaced by the tab */
  constructor(root) {
    this.#root = root;
    /** @type {string | null} the name of the open tab; null for none */
    this.name = null;
  }

  /**
   * Closes the open tab and opens another. When its module cannot be loaded, the tab shows the error and a button to
   * try again.
   *
   * @param {string} name
   * @param {() => Promise<object>} load
   * @param {(module: object, page: HTMLElement) => object} start opens the page of the module and returns its handle
   */
  async open(name, load, start) {
    const page = this.show(name);
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

  /**
   * Opens a tab without a module.
   *
   * @param {string} name
   * @param {unknown} [content] a template
   * @returns {HTMLElement} the element of the tab
   */
  show(name, content = null) {
    this.close();
    this.name = name;
    this.#page = document.createElement('div');
    this.#root.replaceChildren(this.#page);
    if (content !== null) {
      render(content, this.#page);
    }
    return this.#page;
  }

  /** @param {import('../router.js').Place} place */
  update(place) {
    this.#handle?.update(place);
  }

  /** Passes a live event to the page of the tab. */
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
