/** The fleet as a tree: a table whose rows can be opened and show counts of their descendants. */
import { glyphElement, toneOf } from '../parts/status-mark.js';
import { number } from '../text/time.js';
import { Branches, KINDS } from './branches.js';
import { drawAges, drawRow, makeRow, put } from './row.js';
import { FleetTable } from './table.js';

const COLUMNS = [
  ['name', 'Name', 'name'],
  ['status', 'Status', 'severity'],
  ['below', 'Below', null],
  ['why', 'Why', null],
  ['heard', 'Heard', 'heard'],
  ['next', 'Next step', null],
];
/** Levels at most by which a name is indented, so that it stays readable. */
const DEEPEST_INDENT = 10;
const WORST_FIRST = ['failed', 'wedged', 'offline', 'degraded', 'stalled'].map((word) => [word, KINDS.indexOf(word)]);
const ONLINE = KINDS.indexOf('online');

/**
 * Creates the tree.
 *
 * @param {object} needs the same as for FleetTable
 * @returns {FleetTable}
 */
export function fleetTree(needs) {
  const { view } = needs;
  const { store } = view;
  const branches = new Branches(store);
  const toggle = (row, is = !branches.isOpen(row)) => {
    if (branches.first[row] >= 0 && branches.isOpen(row) !== is) {
      branches.open(row, is);
      view.rows = branches.flat();
      tree.refresh();
    }
  };
  const kind = {
    role: 'treegrid',
    columns: COLUMNS,
    arrangement: branches.arrangement,
    version: (row) => store.version[row] + (branches.version[row] ?? 0),
    make,
    ages: (slot, row, around) => drawAges(slot, store, row, around),
    draw(slot, row, around, mayChange) {
      drawRow(slot, store, row, around, mayChange);
      drawBranch(slot, branches, row);
    },
    toggle,
    /** Right opens a row, or moves to its first child; left closes it, or moves to its parent. */
    key(key, row) {
      if (key === 'ArrowRight') {
        const isOpen = branches.isOpen(row);
        toggle(row, true);
        return isOpen ? branches.first[row] : -1;
      }
      if (key === 'ArrowLeft') {
        const isOpen = branches.isOpen(row);
        toggle(row, false);
        return isOpen ? -1 : branches.above(row);
      }
      return null;
    },
  };
  const tree = new FleetTable({ ...needs, kind });
  return tree;
}

function make() {
  const slot = makeRow();
  const { element } = slot;
  element.classList.add('tree-row');
  const [name, status, work] = ['name', 'status', 'work'].map((column) => element.querySelector(`.col-${column}`));
  status.before(name);
  slot.twisty = document.createElement('span');
  slot.twisty.className = 'twisty';
  slot.twisty.dataset.action = 'toggle';
  slot.twisty.setAttribute('aria-hidden', 'true');
  name.prepend(slot.twisty);
  slot.nameCell = name;
  const below = document.createElement('div');
  below.className = 'cell col-below';
  below.setAttribute('role', 'gridcell');
  slot.marks = WORST_FIRST.map(([word, kind]) => mark(below, word, kind));
  slot.rest = document.createElement('span');
  slot.rest.className = 'soft';
  below.append(slot.rest);
  work.remove();
  status.after(below);
  return slot;
}

/** Returns the mark for a count of a kind of trouble. Wedged has the glyph of degraded, so its word is visible. */
function mark(cell, word, kind) {
  const element = document.createElement('span');
  const status = word === 'wedged' ? 'degraded' : word;
  element.className = `status-mark ${toneOf(status)}`;
  const [count, label] = [document.createElement('b'), document.createElement('span')];
  label.className = status === word ? 'hidden-label' : '';
  label.textContent = ` ${word} `;
  element.append(glyphElement(status), count, label);
  cell.append(element);
  return { element, count, kind };
}

function drawBranch(slot, branches, row) {
  const { element, twisty, nameCell, marks, rest } = slot;
  const [hasChildren, isOpen] = [branches.first[row] >= 0, branches.isOpen(row)];
  const depth = branches.depth[row];
  put(element, String(depth + 1), 'ariaLevel');
  put(element, String(branches.position[row]), 'ariaPosInSet');
  put(element, String(branches.siblings(row)), 'ariaSetSize');
  put(element, hasChildren ? String(isOpen) : null, 'ariaExpanded');
  put(twisty, hasChildren ? (isOpen ? '▾' : '▸') : '');
  if (slot.depth !== depth) {
    slot.depth = depth;
    nameCell.style.paddingInlineStart = `${Math.min(depth, DEEPEST_INDENT) * 18}px`;
  }
  for (const one of marks) {
    const count = branches.below[one.kind][row];
    if (one.shown !== count) {
      one.shown = count;
      one.element.hidden = count === 0;
      one.count.textContent = number(count);
    }
  }
  put(rest, words(branches, row));
}

function words(branches, row) {
  const size = branches.size[row];
  if (size === 0) {
    return '';
  }
  if (branches.trouble(row) > 0) {
    return `of ${number(size)} below`;
  }
  return branches.below[ONLINE][row] === size ? `all ${number(size)} online` : `${number(size)} below`;
}
