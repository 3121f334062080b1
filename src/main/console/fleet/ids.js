/** Finds rows by workspace id, in a hash table with open addressing over the ids' bytes. */

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const LENGTH = 36;
const DASH = 45;
/** Character code → value of the hexadecimal digit; 16 for other characters. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 16 : value;
});

/**
 * @param {Uint8Array} bytes ids, 16 bytes each
 * @param {number} row
 * @returns {string} the id of a row, in the form with dashes
 */
export function idText(bytes, row) {
  let text = '';
  for (let i = 0; i < 16; i++) {
    text += HEX[bytes[row * 16 + i]];
    if (i === 3 || i === 5 || i === 7 || i === 9) {
      text += '-';
    }
  }
  return text;
}

/**
 * Writes an id into the bytes of a row.
 *
 * @param {string} text an id in the form with dashes
 * @param {Uint8Array} bytes
 * @param {number} row
 * @returns {boolean} false for a text that is not an id; the bytes are then undefined
 */
export function putId(text, bytes, row) {
  if (text.length !== LENGTH) {
    return false;
  }
  // This runs for each event, so it allocates nothing.
  for (let i = 0, to = row * 16; i < LENGTH; i++) {
    const code = text.charCodeAt(i);
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (code !== DASH) {
        return false;
      }
      continue;
    }
    const high = DIGITS[code];
    const low = DIGITS[text.charCodeAt(++i)];
    if (!(high < 16 && low < 16)) {
      return false;
    }
    bytes[to++] = high * 16 + low;
  }
  return true;
}

/** Maps ids to rows. */
export class IdIndex {
  /** @param {Uint8Array} bytes ids, 16 bytes per row, aligned to 4 @param {number} rows */
  constructor(bytes, rows) {
    this.asked = new Uint8Array(16);
    this.askedWords = new Uint32Array(this.asked.buffer);
    this.rebuild(bytes, rows);
  }

  /** Indexes all rows, for other bytes or a larger table. */
  rebuild(bytes, rows) {
    this.words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
    let size = 16;
    while (size < rows * 2) {
      size *= 2;
    }
    this.slots = new Int32Array(size).fill(-1);
    this.mask = size - 1;
    for (let row = 0; row < rows; row++) {
      this.#put(row);
    }
    this.rows = rows;
  }

  /** @param {number} row its id must be in the bytes */
  add(row) {
    if ((row + 1) * 2 > this.slots.length) {
      this.rebuild(new Uint8Array(this.words.buffer, this.words.byteOffset, this.words.byteLength), row + 1);
    } else {
      this.#put(row);
    }
  }

  #put(row) {
    let slot = hash(this.words, row * 4) & this.mask;
    while (this.slots[slot] >= 0) {
      slot = (slot + 1) & this.mask;
    }
    this.slots[slot] = row;
  }

  /** @param {string} id @returns {number} its row; -1 without one */
  find(id) {
    return putId(id, this.asked, 0) ? this.#found() : -1;
  }

  /**
   * @param {Uint8Array} bytes ids, 16 bytes each
   * @param {number} place position of an id in them
   * @returns {number} its row; -1 without one
   */
  findAt(bytes, place) {
    this.asked.set(bytes.subarray(place * 16, place * 16 + 16));
    return this.#found();
  }

  #found() {
    const { words, askedWords: asked } = this;
    for (let slot = hash(this.askedWords, 0) & this.mask; ; slot = (slot + 1) & this.mask) {
      const row = this.slots[slot];
      if (row < 0) {
        return -1;
      }
      const at = row * 4;
      if (words[at] === asked[0] && words[at + 1] === asked[1] && words[at + 2] === asked[2]
        && words[at + 3] === asked[3]) {
        return row;
      }
    }
  }
}

/** Hashes every bit of the four words, since ids from one generator may differ in only a few bits. */
function hash(words, at) {
  let h = Math.imul(words[at] ^ Math.imul(words[at + 1], 0x85ebca6b), 0x9e3779b1);
  h = Math.imul(h ^ words[at + 2] ^ (h >>> 15), 0xc2b2ae35);
  h = Math.imul(h ^ words[at + 3] ^ (h >>> 13), 0x9e3779b1);
  return h ^ (h >>> 16);
}
