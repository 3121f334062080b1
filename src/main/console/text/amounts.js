/** Formats byte counts and durations in ms. */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** @param {number} count @returns {string} such as 4.1 GiB */
export function bytes(count) {
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0
    ? `${count} bytes` : `${value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${UNITS[unit]}`;
}

/** @param {number} ms @returns {string} such as 12 ms, 3.4 s, 2 m */
export function duration(ms) {
  if (ms < 1000) {
    return `${ms} ms`;
  }
  return ms < 60_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 6000) / 10} m`;
}
