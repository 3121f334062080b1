// Builds snapshots in the formats MSF1 and MSC1 for the unit tests.
const NUMBERS = { parent: Int32Array, since: Uint32Array, heard: Uint32Array, name_end: Uint32Array, role: Uint16Array,
  runtime: Uint16Array, error: Uint16Array, tasks: Uint16Array, tier: Uint8Array, status: Uint8Array, reason: Uint8Array, flags: Uint8Array };

/**
 * Builds a snapshot in format MSF1.
 *
 * @param {object[]} rows as in filter-cases.json
 * @param {{seq?: number, at?: string}} [head]
 * @returns {ArrayBuffer}
 */
export function msf1(rows, { seq = 7, at = '2026-11-25T02:16:09Z' } = {}) {
  const base = 1_000_000_000;
  const dict = { status: [], reason: [], role: [], runtime: [], error: [] };
  const word = (name, value, none) => {
    if (value === null || value === undefined || (name === 'error' && value === '')) return none;
    if (!dict[name].includes(value)) dict[name].push(value);
    return dict[name].indexOf(value);
  };
  const time = iso => iso ? Date.parse(iso) / 1000 - base : 0xffffffff;
  const encoder = new TextEncoder();
  let end = 0;
  const values = { parent: [], since: [], heard: [], name_end: [], role: [], runtime: [], error: [], tasks: [], tier: [], status: [], reason: [], flags: [] };
  const stalls = [];
  const places = new Map(rows.map((row, i) => [row.key, i]));
  for (const [i, row] of rows.entries()) {
    if (typeof row.stalled === 'string') stalls.push([i, time(row.stalled)]); // with `true` it is not known since when
    values.parent.push(row.parent === undefined || row.parent === null ? -1 : (places.get(row.parent) ?? -1));
    values.since.push(time(row.since));
    values.heard.push(time(row.heard));
    values.name_end.push(end += encoder.encode(row.name).length);
    values.role.push(word('role', row.role, 0xffff));
    values.runtime.push(word('runtime', row.runtime ?? 'other', 0xffff));
    values.error.push(word('error', row.error, 0xffff));
    values.tasks.push(row.tasks ?? 0);
    values.tier.push(row.tier ?? 1);
    values.status.push(word('status', row.status, 0xff));
    values.reason.push(word('reason', row.reason, 0xff));
    values.flags.push((row.stalled ? 1 : 0) | (row.mode === 'push' ? 2 : 0) | (row.restart ? 8 : 0) | (row.queued ? 16 : 0));
  }
  const columns = { id: Uint8Array.from(rows.flatMap(row => row.id.replaceAll('-', '').match(/../g).map(hex => parseInt(hex, 16)))) };
  for (const [name, Numbers] of Object.entries(NUMBERS)) columns[name] = new Uint8Array(Numbers.from(values[name]).buffer);
  columns.stall_row = new Uint8Array(Uint32Array.from(stalls, ([row]) => row).buffer);
  columns.stall_at = new Uint8Array(Uint32Array.from(stalls, ([, at]) => at).buffer);
  columns.names = encoder.encode(rows.map(row => row.name).join(''));
  return framed('MSF1', { v: 1, seq, at, n: rows.length, base, dict }, columns);
}

/** Builds changes in format MSC1. @param {object[]} changes `{id, at, was, now, reason, error}`, `at` in ms @returns {ArrayBuffer} */
export function msc1(changes, { from, to }) {
  const dict = { status: [], reason: [], error: [] };
  const ids = [];
  const place = (list, value, none) => value === null || value === undefined ? none : list.includes(value) ? list.indexOf(value) : list.push(value) - 1;
  const bytes = (Numbers, of) => new Uint8Array(Numbers.from(changes.map(of)).buffer);
  const columns = {
    row: bytes(Uint32Array, ({ id }) => place(ids, id)),
    at: bytes(Uint32Array, ({ at }) => at),
    error: bytes(Uint16Array, ({ error }) => place(dict.error, error, 0xffff)),
    was: bytes(Uint8Array, ({ was }) => place(dict.status, was, 0xff)),
    now: bytes(Uint8Array, ({ now }) => place(dict.status, now, 0xff)),
    reason: bytes(Uint8Array, ({ reason }) => place(dict.reason, reason, 0xff)),
  };
  columns.id = Uint8Array.from(ids.flatMap(id => id.replaceAll('-', '').match(/../g).map(hex => parseInt(hex, 16))));
  return framed('MSC1', { v: 1, from, to, n: changes.length, dict }, columns);
}

function framed(format, head, columns) {
  const encoder = new TextEncoder();
  const dir = {};
  let offset = 0;
  for (const [name, bytes] of Object.entries(columns)) {
    dir[name] = [offset, bytes.length];
    offset += (bytes.length + 3) & ~3;
  }
  let text = JSON.stringify({ ...head, dir });
  while (encoder.encode(text).length % 4) text += ' ';
  const headBytes = encoder.encode(text);
  const all = new Uint8Array(8 + headBytes.length + offset);
  all.set(encoder.encode(format));
  new DataView(all.buffer).setUint32(4, headBytes.length, true);
  all.set(headBytes, 8);
  for (const [name, [at2]] of Object.entries(dir)) all.set(columns[name], 8 + headBytes.length + at2);
  return all.buffer;
}

/**
 * Returns rows for {@link msf1}, online by default.
 *
 * @param {number} n
 * @param {(i: number) => object} [fields] overrides members of a row
 * @returns {object[]}
 */
export function fleet(n, fields = () => ({})) {
  return Array.from({ length: n }, (_, i) => ({
    id: uuid(i), key: `k${i}`, name: `Agent ${i}`, role: 'worker', runtime: 'claude', status: 'online', reason: null, error: '',
    since: '2026-11-25T02:00:00Z', heard: '2026-11-25T02:16:00Z', ...fields(i),
  }));
}

/** @param {number} i @returns {string} the id of row `i` */
export const uuid = i => `6f0e2a52-8c1e-4b0c-9a44-${String(i).padStart(12, '0')}`;
