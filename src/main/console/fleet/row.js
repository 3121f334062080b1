/** Draws rows of the table. A row's elements are reused, and only changes are written to the DOM. */
import { markElement } from '../parts/status-mark.js';
import { advise, why } from '../text/advice.js';
import { visible } from '../text/safe.js';
import { isPeer, ofRow } from '../text/subject.js';
import { ago, counted, duration, exact, zone } from '../text/time.js';
import { TABLE } from './view.js';

/** [CSS class, label, sort key or null] */
const COLUMNS = [
  ['status', 'Status', 'severity'],
  ['name', 'Name', 'name'],
  ['why', 'Why', null],
  ['heard', 'Heard', 'heard'],
  ['work', 'Work', null],
  ['next', 'Next step', null],
];

/** Characters at most of a text in a cell. */
const SHORT = 240;

/** Next step → [label, whether it is a POST to the server]. */
export const STEPS = {
  restart: ['Restart', true],
  pause: ['Pause', true],
  resume: ['Resume', true],
  connect: ['Connect agent', false],
  host: ['Look at host', false],
  upstream: ['Look upstream', false],
  timeline: ['Timeline', false],
  queue: ['See queue', false],
  wait: ['Wait', false],
  open: ['Open', false],
};

/**
 * Returns the url of a workspace's page, at the same time if `around` is of the past.
 *
 * @param {string} id
 * @param {import('../text/advice.js').Surroundings} around
 * @param {string} [step] `timeline` and `queue` open that tab
 * @returns {string}
 */
export function placeOf(id, around, step = '') {
  const query = new URLSearchParams();
  if (step === 'timeline' || step === 'queue') {
    query.set('tab', step);
  }
  if (around.isPast) {
    query.set('at', new Date(around.now).toISOString());
  }
  return query.size === 0 ? `/ui/w/${id}` : `/ui/w/${id}?${query}`;
}

const cell = (name) => {
  const element = document.createElement('div');
  element.setAttribute('role', 'gridcell');
  element.className = `cell col-${name}`;
  return element;
};

const child = (parent, tag, name) => {
  const element = document.createElement(tag);
  element.className = name;
  parent.append(element);
  return element;
};

/** Sets a property of an element if it differs, since each write costs the browser work. */
export const put = (element, text, property = 'textContent') => {
  if (element[property] !== text) {
    element[property] = text;
  }
};

/** Creates the elements of a row. @returns {import('../parts/virtual-list.js').Slot} */
export function makeRow() {
  const element = document.createElement('div');
  element.setAttribute('role', 'row');
  element.className = 'fleet-row';
  const [status, name, whyCell, heard, work, next] = ['status', 'name', 'why', 'heard', 'work', 'next'].map(cell);
  element.append(status, name, whyCell, heard, work, next);
  const mark = markElement();
  status.append(mark.element);
  const link = child(name, 'a', 'name-link');
  link.tabIndex = -1;
  const button = child(next, 'button', 'small');
  button.type = 'button';
  button.tabIndex = -1;
  const step = child(next, 'a', 'next-step');
  step.tabIndex = -1;
  return {
    element,
    index: -1,
    row: -1,
    id: '',
    mark,
    since: child(status, 'span', 'soft row-since'),
    link,
    name: child(link, 'bdi', ''),
    role: child(name, 'bdi', 'soft row-role'),
    why: child(whyCell, 'bdi', ''),
    heard,
    work: child(work, 'bdi', ''),
    waiting: child(work, 'span', 'soft row-waiting'),
    button,
    step,
  };
}

const clip = (text) => visible(text.length > SHORT ? `${text.slice(0, SHORT)}…` : text);

/**
 * Draws a workspace into a slot.
 *
 * @param {ReturnType<typeof makeRow>} slot
 * @param {import('./store.js').FleetStore} store
 * @param {number} row
 * @param {import('../text/advice.js').Surroundings} around
 * @param {boolean} mayChange whether the session may change workspaces; otherwise a step is a link
 */
export function drawRow(slot, store, row, around, mayChange) {
  const subject = ofRow(store, row, around.self);
  const id = store.id(row);
  slot.mark.show(subject.status, subject.stalled);
  if (slot.id !== id || around.isPast) { // by id, since a new snapshot may give a workspace another row
    slot.link.href = placeOf(id, around);
  }
  if (slot.sinceMs !== subject.sinceMs || slot.zone !== zone()) {
    slot.since.title = subject.sinceMs === null ? 'It is not known since when' : exact(subject.sinceMs);
    Object.assign(slot, { sinceMs: subject.sinceMs, zone: zone() });
  }
  put(slot.name, clip(store.name(row)) || '(no name)');
  put(slot.role, clip(store.word('role', row)));
  const reason = clip(why(subject, around));
  put(slot.why, reason);
  put(slot.why, reason, 'title');
  drawAges(slot, store, row, around);
  drawWork(slot, store.details.get(row), subject);
  drawStep(slot, id, subject, around, mayChange);
  Object.assign(slot, { row, id });
}

/**
 * Draws the ages only, which change every second.
 *
 * @returns {boolean} false when the text in the column Why contains an age too, so that the whole row must be drawn
 */
export function drawAges(slot, store, row, { now, isPast, self }) {
  const [since, heard] = [store.sinceOf(row), store.heard[row]];
  put(slot.since, since ? ago(since * 1000, now) : '–');
  put(slot.heard, heard ? duration(now / 1000 - heard) : isPast || isPeer(store.id(row), self) ? '–' : 'never');
  return store.restartAsked(row) === null;
}

function drawWork(slot, detail, subject) {
  const task = detail?.current_task;
  put(slot.work, task ? clip(task) : subject.tasks > 0 ? counted(subject.tasks, 'task') : '—');
  put(slot.waiting, subject.waiting ? `${subject.waiting} waiting` : '');
}

function drawStep(slot, id, subject, around, mayChange) {
  const step = advise(subject, around).next[0]?.action;
  const [label, isAction] = STEPS[step] ?? ['', false];
  const isButton = isAction && mayChange;
  slot.button.hidden = !isButton;
  slot.step.hidden = isButton || label === '';
  if (isButton) {
    put(slot.button, label);
    slot.button.dataset.action = step;
  } else if (label !== '') {
    put(slot.step, around.isPast ? 'Timeline' : label);
    slot.step.href = placeOf(id, around, around.isPast ? 'timeline' : step);
  }
}

/** @param {import('./store.js').FleetStore} store @returns {import('./table.js').Kind} the kind of the table */
export const tableKind = (store) => ({
  role: 'grid',
  columns: COLUMNS,
  arrangement: TABLE,
  version: (row) => store.version[row],
  make: makeRow,
  ages: (slot, row, around) => drawAges(slot, store, row, around),
  draw: (slot, row, around, mayChange) => drawRow(slot, store, row, around, mayChange),
});
