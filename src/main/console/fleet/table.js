/** The table of the fleet, also used for the tree: a grid with a virtual list of rows. */
import { VirtualList } from '../parts/virtual-list.js';
import { put, tableKind } from './row.js';

/**
 * What differs between the table and the tree.
 *
 * @typedef {object} Kind
 * @property {'grid' | 'treegrid'} role
 * @property {[string, string, ?string][]} columns CSS class, label, and sort key or null
 * @property {import('./view.js').Arrangement} arrangement
 * @property {(row: number) => number} version changes when the row must be drawn again
 * @property {() => object} make creates a slot
 * @property {(slot: object, row: number, around: object, mayChange: boolean) => void} draw
 * @property {(slot: object, row: number, around: object) => boolean} ages draws the ages only; returns false when the
 *   whole row must be drawn
 * @property {(row: number) => void} [toggle] opens or closes a row of a tree
 * @property {(key: string, row: number) => ?number} [key] handles a key: returns the row to move to, -1 to stay, null
 *   for other keys
 */

/** Key → number of rows to move by, or a target. */
const MOVES = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 'page', PageUp: '-page', Home: 'first', End: 'last' };

export class FleetTable {
  /**
   * @param {object} needs
   * @param {import('./view.js').FleetView} needs.view
   * @param {() => import('../text/advice.js').Surroundings & {togetherOf(row: number): number}} needs.around
   * @param {() => boolean} needs.mayChange
   * @param {(row: number) => void} needs.choose opens the side sheet of a row
   * @param {(row: number, action: string) => void} needs.act runs an action on a row
   * @param {(sort: string) => void} needs.sort
   * @param {() => void} needs.released called when the table loses pointer or focus
   * @param {Kind} [needs.kind] the kind of the table by default
   * @param {import('./selection.js').Selection} [needs.selection]
   */
  constructor(needs) {
    this.needs = needs;
    this.view = needs.view;
    const kind = needs.kind ?? tableKind(needs.view.store);
    this.kind = needs.selection?.column(kind) ?? kind;
    [this.active, this.activeId, this.chosen, this.tick, this.second] = [-1, '', -1, 0, 0];
    this.isPointed = false;
    this.#build();
    needs.selection?.head(this.element);
    this.list = new VirtualList({
      scroller: this.scroller,
      space: this.space,
      make: () => this.#make(),
      draw: (slot, index) => this.#draw(slot, index),
    });
    this.#listen();
  }

  #build() {
    const make = (role, name) => {
      const element = document.createElement('div');
      element.className = name;
      element.setAttribute('role', role);
      return element;
    };
    this.element = make(this.kind.role, 'fleet-table');
    this.element.tabIndex = 0;
    this.element.setAttribute('aria-label', 'Workspaces');
    this.head = make('row', `fleet-row fleet-head ${this.kind.toggle ? 'tree-row' : ''}`);
    this.head.setAttribute('aria-rowindex', '1');
    for (const [name, label, sort] of this.kind.columns) {
      const header = make('columnheader', `cell col-${name}`);
      if (sort) {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'quiet';
        button.textContent = label;
        button.addEventListener('click', () => this.needs.sort(sort));
        header.append(button);
      } else {
        header.textContent = label;
      }
      this.head.append(header);
    }
    this.scroller = make('rowgroup', 'fleet-scroll');
    this.space = make('presentation', 'fleet-space');
    this.scroller.append(this.space);
    const top = make('rowgroup', '');
    top.append(this.head);
    this.element.append(top, this.scroller);
  }

  #make() {
    const slot = this.kind.make();
    slot.element.id = `fleet-row-${this.list.slots.length}`;
    return slot;
  }

  #listen() {
    const { element, scroller } = this;
    scroller.addEventListener('pointerenter', () => (this.isPointed = true));
    scroller.addEventListener('pointerleave', () => {
      this.isPointed = false;
      this.needs.released();
    });
    element.addEventListener('focusout', () => setTimeout(() => this.isInUse() || this.needs.released()));
    scroller.addEventListener('click', (event) => this.#click(event));
    element.addEventListener('keydown', (event) => this.#key(event));
    element.addEventListener('focusin', () => {
      if (this.active < 0 && this.view.rows.length > 0) {
        this.#activate(this.list.first);
      }
    });
  }

  /** @returns {boolean} whether the rows have the pointer or the table the focus */
  isInUse() {
    return this.isPointed || this.element.contains(document.activeElement);
  }

  #click(event) {
    const slot = this.list.slots.find(({ element }) => element.contains(event.target));
    if (!slot || slot.index < 0) {
      return;
    }
    const action = event.target.closest('[data-action]')?.dataset.action;
    this.#activate(slot.index);
    if (action === 'toggle') {
      this.kind.toggle(slot.row);
    } else if (action) {
      this.needs.act(slot.row, action);
    } else if (!event.target.closest('a')) {
      this.needs.choose(slot.row);
    }
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input')) {
      return;
    }
    const isLetter = event.key.length === 1;
    if (isLetter && document.documentElement.dataset.keys === 'off') {
      return;
    }
    if (event.key === 'Enter' && event.target === this.element && this.active >= 0) {
      this.needs.choose(this.view.rows[this.active]);
    } else if (this.#moveByKind(event.key)) {
      this.#activate(this.active);
    } else if (event.key in MOVES) {
      this.#move(MOVES[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  }

  #moveByKind(key) {
    const to = this.active >= 0 ? (this.kind.key?.(key, this.view.rows[this.active]) ?? null) : null;
    if (to >= 0 && to !== null) {
      this.active = Math.max(0, this.view.rows.indexOf(to));
    }
    return to !== null;
  }

  #move(by) {
    const last = this.view.rows.length - 1;
    const steps = { page: this.list.page(), '-page': -this.list.page() };
    const to = by === 'first' ? 0 : by === 'last' ? last : this.active + (steps[by] ?? by);
    if (last >= 0) {
      this.#activate(Math.min(last, Math.max(0, to)));
    }
  }

  #activate(index) {
    this.active = index;
    this.activeId = index in this.view.rows ? this.view.store.id(this.view.rows[index]) : '';
    this.list.reveal(index);
    const slot = this.list.slotOf(index);
    if (slot) {
      this.element.setAttribute('aria-activedescendant', slot.element.id);
    }
  }

  /** Draws all, after a change of the rows, their order or their height. */
  refresh() {
    const { rows, sort, direction, store } = this.view;
    this.tick++;
    // by id, since a new snapshot may give a workspace another row
    this.active = rows.indexOf(store.index.find(this.activeId));
    this.element.setAttribute('aria-rowcount', String(rows.length + 1));
    for (const [i, [, , key]] of this.kind.columns.entries()) {
      const header = this.head.children[i];
      if (key) {
        const order = direction === 'desc' ? 'descending' : 'ascending';
        header.setAttribute('aria-sort', key === sort ? order : 'none');
      }
    }
    this.list.size(rows.length, this.#rowHeight());
    this.head.style.width = `${this.scroller.clientWidth}px`; // the width of the rows, without the scroll bar
    const slot = this.active >= 0 ? this.list.slotOf(this.active) : null;
    if (slot) {
      this.element.setAttribute('aria-activedescendant', slot.element.id);
    } else {
      this.element.removeAttribute('aria-activedescendant');
    }
  }

  #rowHeight() {
    return parseInt(getComputedStyle(this.element).getPropertyValue('--fleet-row'), 10) || 32;
  }

  /** Draws visible rows that changed; with `ages` also the ages of the others; with `whole` all visible rows. */
  redraw({ ages = false, whole = false } = {}) {
    this.tick += whole ? 1 : 0;
    this.second += ages ? 1 : 0;
    this.list.render();
  }

  #draw(slot, index) {
    const row = this.view.rows[index];
    const { store } = this.view;
    const { element } = slot;
    const isSame = slot.row === row && slot.version === this.kind.version(row) && slot.tick === this.tick
      && slot.shownAt === index && slot.isActive === (index === this.active) && slot.isChosen === (row === this.chosen);
    if (isSame && slot.second === this.second) {
      return;
    }
    const around = this.needs.around();
    const together = around.togetherOf(row);
    // Others change in each frame. What a row says of them is at most a second old, as the causes are.
    if (isSame && slot.around === around.version && slot.together === together && this.kind.ages(slot, row, around)) {
      slot.second = this.second;
      return;
    }
    if (element.contains(document.activeElement) && slot.id !== store.id(row)) {
      this.element.focus({ preventScroll: true });
    }
    const mayChange = this.needs.mayChange() && store.alive[row] === 1;
    this.kind.draw(slot, row, { ...around, together }, mayChange);
    const isActive = index === this.active;
    put(element, String(index + 2), 'ariaRowIndex');
    put(element, String(row === this.chosen), 'ariaSelected');
    element.classList.toggle('active', isActive);
    element.classList.toggle('gone', !store.alive[row]);
    // Without an active row Tab leads to the first one, since a scrollable area needs a focusable element.
    slot.link.tabIndex = slot.button.tabIndex = slot.step.tabIndex = index === Math.max(0, this.active) ? 0 : -1;
    Object.assign(slot, { around: around.version, together, version: this.kind.version(row), tick: this.tick,
      second: this.second, shownAt: index, isActive, isChosen: row === this.chosen });
  }

  get arrangement() {
    return this.kind.arrangement;
  }

  /** @returns {number[]} the rows with elements */
  visible() {
    return Array.from(this.view.rows.subarray(this.list.first, this.list.last + 1));
  }

  close() {
    this.list.close();
  }
}
