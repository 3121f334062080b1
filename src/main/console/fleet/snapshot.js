/** Reads the binary formats MSF1 (fleet) and MSC1 (changes), which docs/internals/console.md describes. */

/** Numeric column → its type in the file. Other columns are bytes. */
const NUMBERS = {
  parent: Int32Array,
  since: Uint32Array,
  heard: Uint32Array,
  name_end: Uint32Array,
  role: Uint16Array,
  runtime: Uint16Array,
  error: Uint16Array,
  tasks: Uint16Array,
  tier: Uint8Array,
  status: Uint8Array,
  reason: Uint8Array,
  flags: Uint8Array,
  stall_row: Uint32Array,
  stall_at: Uint32Array,
  row: Uint32Array,
  at: Uint32Array,
};

/** Values that mean absent: in 16-bit and 8-bit columns of words, and in columns of times. */
export const NONE = { word: 0xffff, smallWord: 0xff, time: 0xffffffff };

export const FLAGS = { stalled: 1, push: 2, nativeStatus: 4, restartAsked: 8, queued: 16 };

/**
 * @typedef {object} Snapshot
 * @property {number} seq the latest event that it includes
 * @property {number} at the server's time, in ms
 * @property {number} n number of workspaces
 * @property {number} base origin of `since` and `heard`, in seconds since 1970
 * @property {Record<'status' | 'reason' | 'role' | 'runtime' | 'error', string[]>} dict words, by their number in the
 *   column
 * @property {Record<string, any>} columns typed arrays by name; `id` and `names` are bytes
 *
 * @typedef {object} Changes
 * @property {number} from start of the period, in ms
 * @property {number} to end of the period, in ms
 * @property {number} n number of changes
 * @property {Record<'status' | 'reason' | 'error', string[]>} dict
 * @property {Record<string, any>} columns typed arrays by name; `id` is bytes, `at` is in ms after `from`
 */

/**
 * Reads a snapshot of the fleet.
 *
 * @param {ArrayBuffer} buffer
 * @returns {Snapshot} its columns are views of the buffer, without a copy
 * @throws {Error} when the buffer is not a complete MSF1 of version 1
 */
export function readSnapshot(buffer) {
  const { head, columns } = readTable(buffer, 'MSF1');
  return { seq: head.seq, at: Date.parse(head.at), n: head.n, base: head.base, dict: head.dict, columns };
}

/**
 * Reads status changes.
 *
 * @param {ArrayBuffer} buffer
 * @returns {Changes} its columns are views of the buffer, without a copy
 * @throws {Error} when the buffer is not a complete MSC1 of version 1
 */
export function readChanges(buffer) {
  const { head, columns } = readTable(buffer, 'MSC1');
  return { from: Date.parse(head.from), to: Date.parse(head.to), n: head.n, dict: head.dict, columns };
}

function readTable(buffer, format) {
  const magic = new Uint8Array(buffer, 0, Math.min(4, buffer.byteLength));
  if (String.fromCharCode(...magic) !== format) {
    throw new Error(`The snapshot of the fleet is not ${format}.`);
  }
  const length = new DataView(buffer).getUint32(4, true);
  if (8 + length > buffer.byteLength) {
    throw new Error(`The snapshot is cut: its head has ${length} bytes, all of it ${buffer.byteLength}.`);
  }
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  if (head.v !== 1) {
    throw new Error(`The snapshot has version ${head.v} (expected: 1). Load the page again.`);
  }
  const columns = {};
  for (const [name, [offset, bytes]] of Object.entries(head.dir)) {
    const start = 8 + length + offset;
    if (start + bytes > buffer.byteLength) {
      throw new Error(`The snapshot is cut within its column ${name}.`);
    }
    const Numbers = NUMBERS[name] ?? Uint8Array;
    columns[name] = new Numbers(buffer, start, bytes / Numbers.BYTES_PER_ELEMENT);
  }
  return { head, columns };
}
