/** The fleet as a map: a canvas with one cell per workspace, grouped by family. */
import { glyphElement, statusWord, toneOf } from '../parts/status-mark.js';
import { why } from '../text/advice.js';
import { visible } from '../text/safe.js';
import { ofRow } from '../text/subject.js';
import { counted, dated } from '../text/time.js';
import { Cells, familiesOf } from './cells.js';
import { isBad } from './filter.js';
import { MapPaint, TONES } from './map-paint.js';

/**
 * Keeps the order of row numbers, so that a cell does not move when its status changes.
 *
 * @type {import('./view.js').Arrangement}
 */
const MAP = {
  order: (_, found) => Int32Array.from(found),
  place: () => (store, row) => store.parent[row] + 2,
  affected: (touched) => touched,
};
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const LEGEND = TONES.slice(1);
const HELP =
  'Arrow keys go from cell to cell, Page Down and Page Up to the next and the previous one in trouble, Enter opens.';

const make = (tag, name, parent) => {
  const element = document.createElement(tag);
  element.className = name;
  parent?.append(element);
  return element;
};

export class FleetMap {
  /** @param {object} needs the same as for FleetTable */
  constructor(needs) {
    Object.assign(this, { needs, view: needs.view, store: needs.view.store, arrangement: MAP, chosen: -1, active: -1,
      activeId: '', isPointed: false });
    this.#build();
    this.paint = new MapPaint(this.canvas, this.store);
    this.#listen();
  }

  #build() {
    this.element = make('div', 'fleet-map');
    this.space = make('div', 'map-space', this.element);
    this.space.tabIndex = 0;
    this.space.setAttribute('role', 'application');
    this.space.setAttribute('aria-label', 'Map of the fleet');
    this.space.setAttribute('aria-describedby', 'map-help');
    this.canvas = make('canvas', '', this.space);
    this.canvas.setAttribute('aria-hidden', 'true');
    this.cursor = make('div', 'map-cursor', this.space);
    this.cursor.hidden = true;
    const help = make('p', 'hidden-label', this.element);
    help.id = 'map-help';
    help.textContent = HELP;
    const narrow = make('p', 'map-narrow', this.element);
    narrow.textContent = 'The map needs a wider window. What is wrong stands above, by its causes.';
    const foot = make('div', 'map-foot', this.element);
    this.card = make('p', 'map-card', foot);
    this.card.setAttribute('aria-live', 'polite');
    const legend = make('p', 'map-legend', foot);
    legend.setAttribute('aria-hidden', 'true');
    for (const tone of LEGEND) {
      const item = make('span', `map-tone ${tone}`, legend);
      item.textContent = tone;
    }
    this.link = make('a', 'map-link', foot);
    this.link.textContent = 'The same as a table';
  }

  #listen() {
    const { space } = this;
    space.addEventListener('pointerenter', () => (this.isPointed = true));
    space.addEventListener('pointerleave', () => {
      this.isPointed = false;
      this.needs.released();
    });
    space.addEventListener('focusout', () => setTimeout(() => this.isInUse() || this.needs.released()));
    space.addEventListener('focusin', () => this.active < 0 && this.#go(this.cells?.blocks[0]?.family.rows[0] ?? -1));
    space.addEventListener('pointermove', (event) => this.#point(this.#at(event)));
    space.addEventListener('click', (event) => {
      const row = this.#at(event);
      if (row >= 0) {
        this.#go(row);
        this.needs.choose(row);
      }
    });
    space.addEventListener('keydown', (event) => this.#key(event));
    this.observer = new ResizeObserver(() => this.element.isConnected && this.refresh());
    this.observer.observe(space);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.repaint = () => this.element.isConnected && this.refresh();
    this.scheme.addEventListener('change', this.repaint);
  }

  #at(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return this.cells?.at(event.clientX - left, event.clientY - top) ?? -1;
  }

  /** @returns {boolean} whether the map has the pointer or the focus */
  isInUse() {
    return this.isPointed || this.space.contains(document.activeElement);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const { rows } = this;
    const at = rows.indexOf(this.active);
    if (event.key in ARROWS && this.active >= 0) {
      this.#go(this.cells.beside([this.paint.x[this.active], this.paint.y[this.active]], ...ARROWS[event.key]));
    } else if (event.key === 'Home' || event.key === 'End') {
      this.#go(rows.at(event.key === 'Home' ? 0 : -1) ?? -1);
    } else if (event.key === 'PageDown') {
      this.#go(rows.find((row, i) => i > at && isBad(this.store, row)) ?? -1);
    } else if (event.key === 'PageUp') {
      this.#go(rows.findLast((row, i) => i < at && isBad(this.store, row)) ?? -1);
    } else if (event.key === 'Enter' && this.active >= 0) {
      this.needs.choose(this.active);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Moves the cursor to the cell of a row, and describes it. Does nothing for -1. */
  #go(row) {
    if (row >= 0) {
      this.active = row;
      this.activeId = this.store.id(row);
      this.#mark();
      this.#describe(row);
    }
  }

  #mark() {
    const { cursor, active, paint, cells } = this;
    cursor.hidden = active < 0 || !(paint.x?.[active] >= 0);
    if (!cursor.hidden) {
      const size = Math.max(cells.size, 8);
      const shift = (size - cells.size) / 2 + 1;
      cursor.style.transform = `translate(${paint.x[active] - shift}px, ${paint.y[active] - shift}px)`;
      cursor.style.width = cursor.style.height = `${size + 1}px`;
    }
  }

  #point(row) {
    if (row !== this.pointed) {
      this.pointed = row;
      this.space.classList.toggle('on-cell', row >= 0);
      this.#describe(row >= 0 ? row : this.active);
    }
  }

  /** Describes a cell in the live region. Ages are left out, since a screen reader would speak each change of them. */
  #describe(row) {
    this.described = row;
    const { store } = this;
    if (row < 0) {
      this.card.textContent = 'Point at a cell, or go there with the arrow keys, to see who it is.';
      this.card.dataset.key = '';
      return;
    }
    const around = this.needs.around();
    const subject = ofRow(store, row, around.self);
    const status = subject.stalled && subject.status === 'online' ? 'stalled' : subject.status;
    const together = around.togetherOf(row);
    const reason = why(subject, { ...around, together });
    const mark = make('span', `status-mark ${toneOf(status)}`);
    const word = make('span', '', mark);
    word.textContent = store.alive[row]
      ? `${statusWord(status)}${subject.sinceMs ? ` since ${dated(subject.sinceMs, around.now)}` : ''}` : 'removed';
    word.before(glyphElement(status));
    const name = make('bdi', 'map-name');
    name.textContent = visible(store.name(row)) || '(no name)';
    const rest = make('bdi', 'soft');
    rest.textContent = [visible(reason), parentOf(store, row)].filter(Boolean).join(' · ');
    const key = [row, word.textContent, subject.error, subject.reason, subject.restartAskedMs, name.textContent,
      around.version, together].join();
    if (this.card.dataset.key !== key) {
      this.card.dataset.key = key;
      this.card.replaceChildren(name, ' ', mark, ' ', rest, ' ',
        Object.assign(make('span', 'soft'), { textContent: 'Enter opens it.' }));
    }
  }

  /** Lays out and paints the whole map. */
  refresh() {
    const [width, height] = [this.space.clientWidth, this.space.clientHeight];
    const query = new URLSearchParams(location.search);
    query.delete('view');
    this.link.href = `/ui/fleet${query.size > 0 ? `?${query}` : ''}`;
    this.space.setAttribute('aria-label', `Map of ${counted(this.view.rows.length, 'workspace')}`);
    if (width < 50 || height < 50) {
      return; // not in the page, or the style sheet hides it in a narrow window
    }
    this.cells = new Cells(familiesOf(this.store, this.view.rows), width, height);
    this.rows = this.cells.blocks.flatMap(({ family }) => family.rows);
    this.painted = this.view.rows;
    this.paint.all(this.cells, (family) => labelOf(this.store, family));
    const active = this.store.index.find(this.activeId); // by id, since a new snapshot may give a workspace another row
    this.active = this.paint.x[active] >= 0 ? active : -1;
    this.pointed = -1;
    this.#mark();
    this.#describe(this.active);
  }

  /** Repaints the cells that changed, and updates the description. */
  redraw() {
    if (this.cells && this.painted === this.view.rows) {
      this.paint.changed(this.painted);
      if (this.described >= 0) {
        this.#describe(this.described);
      }
    }
  }

  /** @returns {number[]} the rows whose details are needed */
  visible() {
    return [this.described, this.chosen].filter((row) => row >= 0);
  }

  close() {
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.repaint);
  }
}

const parentOf = (store, row) => (store.parent[row] >= 0 ? `below ${visible(store.name(store.parent[row]))}` : '');

function labelOf(store, { key, rows }) {
  const name = key >= 0 ? visible(store.name(key)) : key === -1 ? 'without a family' : 'smaller families';
  return [name, rows.length.toLocaleString('en')];
}
