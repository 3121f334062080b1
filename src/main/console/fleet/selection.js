/** The selection of workspaces for a bulk run: single rows, or all that match the filter. */
import { html, nothing } from 'lit-html';
import { toast } from '../parts/toast.js';
import { visible } from '../text/safe.js';
import { number } from '../text/time.js';

const ACTIONS = { pause: 'Pause', resume: 'Resume', restart: 'Restart', message: 'Message…', remove: 'Remove…' };

export class Selection {
  /**
   * @param {object} needs
   * @param {import('./view.js').FleetView} needs.view
   * @param {() => boolean} needs.mayChange
   * @param {() => void} needs.changed called after each change of the selection
   * @param {(path: string) => void} needs.open opens a page
   */
  constructor(needs) {
    Object.assign(this, needs);
    /** Ids of the single workspaces that are selected; a new snapshot may give them other rows. @type {Set<string>} */
    this.ids = new Set();
    /** The filter whose matches are all selected; null while single workspaces are selected. */
    this.query = null;
    this.heads = [];
  }

  /** @param {number} row @returns {boolean} whether it is selected */
  has(row) {
    const { store, test } = this.view;
    return this.query === null ? this.ids.size > 0 && this.ids.has(store.id(row)) : store.alive[row] === 1 && test(row);
  }

  /** @returns {number} number of selected workspaces */
  count() {
    return this.query === null ? this.ids.size : this.view.matched.length;
  }

  /**
   * Selects or deselects a row. When all matches were selected, the other matches stay selected as single workspaces.
   */
  toggle(row) {
    if (!this.mayChange()) {
      return;
    }
    const { store, matched } = this.view;
    if (this.query !== null) {
      this.ids = new Set(Array.from(matched, (one) => store.id(one)));
      this.query = null;
    }
    const id = store.id(row);
    this.ids.delete(id) || this.ids.add(id);
    this.#show();
  }

  /** Selects all that match the current filter. */
  all() {
    this.ids.clear();
    this.query = this.view.valid;
    this.#show();
  }

  clear() {
    this.ids.clear();
    this.query = null;
    this.#show();
  }

  /**
   * Updates the selection: drops it when it is by another filter than the current one, and drops removed workspaces.
   */
  follow() {
    const { store, valid } = this.view;
    if (this.query !== null && this.query !== valid) {
      this.query = null;
    }
    if (this.shape !== store.shape) {
      this.shape = store.shape;
      this.ids.forEach((id) => store.rowOf(id) >= 0 || this.ids.delete(id));
    }
    this.#mark();
  }

  #show() {
    this.#mark();
    this.changed();
  }

  #mark() {
    const count = this.count();
    for (const head of this.heads) {
      head.checked = count > 0 && count >= this.view.matched.length;
      head.indeterminate = count > 0 && !head.checked;
    }
  }

  /**
   * Adds a column with checkboxes and the key x to a kind of rows.
   *
   * @param {import('./table.js').Kind} kind
   * @returns {import('./table.js').Kind}
   */
  column(kind) {
    return {
      ...kind,
      columns: [['choose', '', null], ...kind.columns],
      version: (row) => kind.version(row) + (this.has(row) ? 0.5 : 0),
      make: () => {
        const slot = kind.make();
        slot.box = box();
        slot.box.tabIndex = -1;
        slot.box.setAttribute('aria-keyshortcuts', 'x');
        const cell = document.createElement('div');
        cell.className = 'cell col-choose';
        cell.setAttribute('role', 'gridcell');
        cell.dataset.action = 'choose';
        cell.append(slot.box);
        cell.addEventListener('mousedown', (event) => {
          event.preventDefault(); // the focus stays on the table, so that its keys keep working
          cell.closest('.fleet-table').focus({ preventScroll: true });
        });
        slot.element.prepend(cell);
        return slot;
      },
      draw: (slot, row, around, mayChange) => {
        kind.draw(slot, row, around, mayChange);
        slot.box.checked = this.has(row);
        slot.box.setAttribute('aria-label',
          `Select ${visible(this.view.store.name(row)) || 'workspace without a name'}`);
      },
      key: (key, row) => {
        if (key !== 'x') {
          return kind.key?.(key, row) ?? null;
        }
        this.toggle(row);
        return -1;
      },
    };
  }

  /** Adds the checkbox that selects all matches to the head of a table. */
  head(element) {
    const head = box();
    head.setAttribute('aria-label', 'Select all that match the filter');
    head.addEventListener('change', () => (head.checked ? this.all() : this.clear()));
    element.querySelector('.fleet-head .col-choose').append(head);
    element.classList.toggle('choosable', this.mayChange());
    this.heads.push(head);
  }

  /**
   * @returns {unknown} the bar with the number of selected workspaces and the actions; nothing for an empty selection
   */
  bar() {
    const count = this.count();
    if (count === 0) {
      return nothing;
    }
    const matching = this.view.matched.length;
    return html`<div class="bulk-bar" role="region" aria-label="Selected workspaces">
      <p role="status"><b>${number(count)}</b> selected${this.query === null && matching > 0
        ? ` of ${number(matching)} that match` : ', all that match'}</p>
      ${this.query === null && count < matching
        ? html`<button type="button" class="quiet" @click=${() => this.all()}>Select all ${number(matching)}</button>`
        : nothing}
      <div class="bulk-actions">${Object.entries(ACTIONS).map(([name, word]) => html`
        <button type="button" class=${name === 'remove' ? 'danger' : ''}
            @click=${() => this.ask(name, this.query === null
              ? { ids: [...this.ids] } : { filter: this.query })}>${word}</button>`)}</div>
      <button type="button" class="quiet" @click=${() => this.clear()}>Clear</button>
    </div>`;
  }

  /**
   * Opens the dialog for a bulk run, and then the page of the run.
   *
   * @param {string} action
   * @param {{filter: string} | {ids: string[]}} which
   */
  async ask(action, which) {
    try {
      const { askForBulk } = await import('../pages/bulk-dialog.js');
      const run = await askForBulk(action, which);
      if (run) {
        this.clear();
        this.open(`/ui/bulk/${run.bulk_id}`);
      }
    } catch (error) {
      toast(`${ACTIONS[action]}: ${error.detail ?? error.message}`, { isBad: true });
    }
  }
}

function box() {
  const input = document.createElement('input');
  input.type = 'checkbox';
  return input;
}
