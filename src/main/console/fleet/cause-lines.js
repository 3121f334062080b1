/** Selects the lines that say what is wrong: each is a group of workspaces in trouble, or all singles of one kind. */
import { advise, briefly, brieflyOfSeveral } from '../text/advice.js';
import { ofRow } from '../text/subject.js';
import { byWeight } from './order.js';

/** Lines at least and at most; in between they end when this part of the workspaces is covered. */
const [MIN_LINES, MAX_LINES, COVERED] = [3, 8, 0.95];

/**
 * @typedef {object} CauseLine
 * @property {import('./trouble-groups.js').TroubleGroup[]} groups more than one for singles
 * @property {string} status
 * @property {string} reason
 * @property {boolean} stalled
 * @property {number} urgency 0 to 10, see order.js
 * @property {number} count number of workspaces
 * @property {number} since when the first of them got its status or began to stall, in seconds; 0 when that is unknown
 * @property {number} last when the last of them did, in seconds
 * @property {string} runtime '' when they differ
 * @property {string} error an example of their errors; '' unless it is of the cause
 * @property {string} text the cause
 * @property {?string} step the first action of the advice; null without one
 * @property {boolean} isAged whether text and step change with time alone
 *
 * @typedef {object} Causes
 * @property {CauseLine[]} lines by weight, descending
 * @property {{count: number}[]} hidden the lines that are left out; none has more workspaces than one of `lines`
 * @property {number} count number of workspaces of all of them
 */

/**
 * Joins groups of a single workspace with the others of the same kind, and selects what is shown.
 *
 * @param {import('./trouble-groups.js').TroubleGroup[]} groups
 * @returns {Causes} without texts
 */
export function select(groups) {
  const hidden = joined(groups).sort(byWeight);
  const count = hidden.reduce((sum, line) => sum + line.count, 0);
  const lines = [];
  let covered = 0;
  while (hidden.length > 0 && lines.length < MAX_LINES && (lines.length < MIN_LINES || covered < COVERED * count)) {
    covered += hidden[0].count;
    lines.push(hidden.shift());
  }
  for (let largest = largestOf(hidden), least = leastOf(lines); hidden.length > 0
      && hidden[largest].count > lines[least].count; largest = largestOf(hidden), least = leastOf(lines)) {
    const [line] = hidden.splice(largest, 1);
    if (lines.length === MAX_LINES) {
      hidden.push(...lines.splice(least, 1));
    }
    lines.push(line);
  }
  lines.sort(byWeight);
  return { lines, hidden, count };
}

const largestOf = (lines) => lines.reduce((best, { count }, i) => (count > lines[best].count ? i : best), 0);

const leastOf = (lines) => lines.reduce((best, { count }, i) => (count <= lines[best].count ? i : best), 0);

function joined(groups) {
  const singles = new Map();
  const lines = [];
  for (const group of groups) {
    const key = [group.status, group.stalled, group.reason, group.how].join();
    if (group.count > 1) {
      lines.push({ ...group, groups: [group] });
    } else if (singles.has(key)) {
      add(singles.get(key), group);
    } else {
      singles.set(key, { ...group, groups: [group] });
    }
  }
  return [...lines, ...singles.values()];
}

function add(line, group) {
  line.groups.push(group);
  line.count++;
  line.since = Math.min(line.since, group.since);
  line.last = Math.max(line.last, group.last);
  line.runtime = line.runtime === group.runtime ? line.runtime : '';
}

/**
 * Returns the lines with text and step, both from the advice for one of their workspaces.
 *
 * @param {import('./trouble-groups.js').TroubleGroups} troubleGroups
 * @param {import('../text/advice.js').Surroundings & {self?: ?string}} around
 * @returns {Causes}
 */
export function causesOf(troubleGroups, around) {
  const { lines, ...rest } = select(troubleGroups.list(around));
  return { ...rest, lines: lines.map((line) => ({ ...line, ...advised(line, troubleGroups, around) })) };
}

function advised(line, troubleGroups, around) {
  const { store } = troubleGroups;
  const [row] = troubleGroups.rowsOf(line.groups, around, 1);
  const areSingles = line.groups.length > 1;
  const own = ofRow(store, row, around.self);
  const subject = { ...own, error: areSingles ? '' : own.error };
  const advice = advise(subject, { ...around, together: troubleGroups.together(row) });
  const isOfCause = line.status === 'degraded' || line.status === 'failed';
  const text = (line.count > 1 ? brieflyOfSeveral : briefly)(advice, subject);
  return { error: isOfCause ? subject.error : '', step: advice.next[0]?.action ?? null,
    isAged: subject.restartAskedMs !== null, text: `${text}${areSingles ? ', one by one' : ''}` };
}
