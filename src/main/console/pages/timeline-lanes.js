/** Draws the lanes beside a timeline: one for each kind of entry, with lines from causes to effects. */

const LANES = ['status', 'message', 'delegation', 'run', 'activity', 'heartbeat'];

/** Kind → the kind whose lane it shares. */
const WITH = { answer: 'message', notification: 'message', queue: 'message' };
/** Distance of lanes, in px. */
const GAP = 14;
const SVG = 'http://www.w3.org/2000/svg';

/**
 * Returns the lines between entries that are shown, as positions in `entries`.
 *
 * @param {object[]} entries in the order of the page
 * @returns {Array<{from: number, to: number, sure: boolean}>} `from` is the cause
 */
export function linesOf(entries) {
  const row = new Map(entries.map((entry, index) => [`${entry.kind}:${entry.id}`, index]));
  return entries.flatMap((entry, to) => {
    const from = entry.cause ? row.get(`${entry.cause.kind}:${entry.cause.id}`) : undefined;
    return from === undefined || from === to ? [] : [{ from, to, sure: entry.cause.sure === true }];
  });
}

/** Width of all lanes, in px. */
export const WIDTH = LANES.length * GAP;

/**
 * Draws the lanes at the positions of the list's entries.
 *
 * @param {HTMLElement | null} frame element with the svg and the list; null draws nothing
 * @param {object[]} entries in the order of the list
 */
export function drawLanes(frame, entries) {
  if (frame === null) {
    return;
  }
  const svg = frame.querySelector('svg.lanes');
  const top = frame.getBoundingClientRect().top;
  const lines = [...frame.querySelectorAll('li.entry')];
  const y = lines.map((line) => {
    const box = line.querySelector('.entry-dot').getBoundingClientRect();
    return Math.round(box.top - top + box.height / 2);
  });
  const height = Math.round(frame.getBoundingClientRect().height);
  svg.setAttribute('width', String(WIDTH));
  svg.setAttribute('height', String(height));
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${height}`);
  const x = (index) => laneOf(entries[index]) * GAP + GAP / 2;
  svg.replaceChildren(
    ...LANES.flatMap((kind, lane) => span(entries, kind, y).map(([from, to]) =>
      element('line', { class: `lane ${kind}`, x1: lane * GAP + GAP / 2, x2: lane * GAP + GAP / 2,
        y1: from, y2: to }))),
    ...linesOf(entries).map(({ from, to, sure }) =>
      element('path', { class: sure ? 'cause sure' : 'cause guess', d: curve(x(from), y[from], x(to), y[to]) })),
    ...entries.map((entry, index) =>
      element('circle', { class: `spot ${LANES[laneOf(entry)]}`, cx: x(index), cy: y[index], r: 3.5 })));
}

function laneOf(entry) {
  return Math.max(0, LANES.indexOf(WITH[entry.kind] ?? entry.kind));
}

/**
 * Returns [y of the first entry, y of the last entry] of a kind, in a list; an empty list for fewer than two entries.
 */
function span(entries, kind, y) {
  const rows = entries.flatMap((entry, index) => (WITH[entry.kind] ?? entry.kind) === kind ? [y[index]] : []);
  return rows.length < 2 ? [] : [[rows[0], rows[rows.length - 1]]];
}

function curve(x1, y1, x2, y2) {
  const bend = x1 === x2 ? 10 : 0;
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1} C${x1 + bend} ${middle} ${x2 + bend} ${middle} ${x2} ${y2}`;
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  return made;
}
