/** Formats times and durations. */

let zoneName = 'UTC';

/**
 * Sets the time zone for all times that are shown.
 *
 * @param {?string} tz utc, local, or the name of a zone such as Europe/Zurich; anything else means UTC
 */
export function useZone(tz) {
  zoneName = 'UTC';
  if (tz === 'local') {
    zoneName = Intl.DateTimeFormat().resolvedOptions().timeZone;
  } else if (tz && tz !== 'utc') {
    try {
      zoneName = new Intl.DateTimeFormat('en', { timeZone: tz }).resolvedOptions().timeZone;
    } catch {
      // the browser does not know this zone: UTC
    }
  }
  formats.clear();
}

/** @returns {string} the name of the current time zone */
export const zone = () => zoneName;

const formats = new Map();

function parts(ms, options) {
  const key = Object.keys(options).join();
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone: zoneName, hourCycle: 'h23', ...options });
    formats.set(key, format);
  }
  return Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
}

const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' };
const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit' };

/** @param {number | string} time ms or ISO @returns {string} such as 02:16:09 */
export function clockTime(time) {
  const ms = moment(time);
  if (Number.isNaN(ms)) {
    return '–';
  }
  if (zoneName === 'UTC') {
    return new Date(ms).toISOString().slice(11, 19); // much faster than Intl, and drawing rows formats many times
  }
  const p = parts(ms, TIME);
  return `${p.hour}:${p.minute}:${p.second}`;
}

const DAY_MS = 86_400_000;

/**
 * @param {number} ms a time
 * @param {number} now in ms
 * @returns {string} the time of day, such as 02:16:09; with its date when it is 12 hours or more away, since one of
 *   yesterday may be later in its day than now: 2026-11-25 02:16:09
 */
export const dated = (ms, now) => (Math.abs(now - ms) < DAY_MS / 2 ? clockTime(ms) : `${day(ms)} ${clockTime(ms)}`);

/** @param {number | string} time ms or ISO @returns {string} such as 2026-11-25 02:16:09 UTC */
export function exact(time) {
  const ms = moment(time);
  if (Number.isNaN(ms)) {
    return '–';
  }
  if (zoneName === 'UTC') {
    return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  }
  const p = parts(ms, { ...DAY, ...TIME, timeZoneName: 'short' });
  return `${p.year}-${p.month}-${p.day} ${p.hour}:${p.minute}:${p.second} ${p.timeZoneName}`;
}

/** @param {number | string} time ms or ISO @returns {string} such as 2026-11-25 */
export function day(time) {
  const ms = moment(time);
  if (zoneName === 'UTC') {
    return new Date(ms).toISOString().slice(0, 10);
  }
  const p = parts(ms, DAY);
  return `${p.year}-${p.month}-${p.day}`;
}

/**
 * @param {string} iso
 * @returns {string} the time in the current zone as the value of a datetime-local field: 2026-11-25T02:16:09
 */
export function localOf(iso) {
  const ms = moment(iso);
  if (Number.isNaN(ms)) {
    return '';
  }
  const p = parts(ms, { ...DAY, ...TIME });
  return `${p.year.padStart(4, '0')}-${p.month}-${p.day}T${p.hour}:${p.minute}:${p.second}`;
}

/**
 * @param {string} local value of a datetime-local field, in the current zone
 * @returns {string} ISO; '' for an invalid value
 */
export function instantOf(local) {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) {
    return '';
  }
  const off = (ms) => Date.parse(`${localOf(new Date(ms).toISOString())}Z`) - ms;
  const guess = asUtc - off(asUtc);
  return new Date(asUtc - off(guess)).toISOString();
}

/**
 * @param {URLSearchParams} query of a url
 * @returns {?number} its parameter `at` (a time in the past), in ms; null for now
 */
export function timeOf(query) {
  const ms = Date.parse(query.get('at') ?? '');
  return Number.isNaN(ms) ? null : ms;
}

const moment = (time) => (typeof time === 'number' ? time : Date.parse(time));

/**
 * @param {number} seconds a negative value counts as 0
 * @returns {string} such as 45 s, 2 m 6 s, 3 h, 12 d
 */
export function duration(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) {
    return `${s} s`;
  }
  if (s < 3600) {
    return s % 60 === 0 ? `${s / 60} m` : `${Math.floor(s / 60)} m ${s % 60} s`;
  }
  return s < 86_400 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86_400)} d`;
}

/**
 * @param {number} ms a time in the past
 * @param {number} now in ms
 * @returns {string} its age, or its date when it is a day old or older
 */
export function ago(ms, now) {
  return now - ms < DAY_MS ? duration((now - ms) / 1000) : day(ms);
}

/**
 * @param {number} count
 * @param {string} word singular
 * @param {string} [many] plural
 * @returns {string} such as 1 message, 2,314 messages
 */
export function counted(count, word, many = `${word}s`) {
  return `${number(count)} ${count === 1 ? word : many}`;
}

const figures = new Intl.NumberFormat('en');

/** @param {number} value @returns {string} with thousands separators, such as 100,000 */
export const number = (value) => figures.format(value);
