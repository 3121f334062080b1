/** Paints the map on a canvas: cells as pixels, and glyphs and names if the cells are large enough. */
import { visible } from '../text/safe.js';
import { STATUSES } from './store.js';

/** Cell sizes in px from which a cell shows the glyph of its status, and also its name. */
const [GLYPH_PX, NAME_PX] = [14, 60];
/** Cell size in px from which cells have a gap, and the gap. */
const [GAP_PX, GAP] = [4, 1];
/** Names of the colours, as in the CSS variables `--map-…`; `none` is transparent. */
export const TONES = ['none', 'online', 'degraded', 'offline', 'failed', 'stalled', 'paused', 'awaiting'];
const TONE_OF = STATUSES.map((status) => {
  const name = { removed: 'none', awaiting_agent: 'awaiting', provisioning: 'awaiting', hibernating: 'paused',
    hibernated: 'paused' }[status] ?? status;
  return TONES.indexOf(name);
});
/** Letters of a name that are tried at most; no label is as wide. */
const MAX_LETTERS = 80;
const [ONLINE, STALLED] = [TONES.indexOf('online'), TONES.indexOf('stalled')];
/** Copies of the paths in icons.svg, since a canvas cannot draw a symbol of an SVG file. */
const GLYPHS = {
  online: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1',
  degraded: 'M6 .8 11.6 11H.4z',
  offline: 'M1.2 1.2h9.6v9.6H1.2z',
  failed: 'M2.4.8 6 4.4 9.6.8l1.6 1.6L7.6 6l3.6 3.6-1.6 1.6L6 7.6l-3.6 3.6L.8 9.6 4.4 6 .8 2.4z',
  awaiting: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1m0 1.7a3.3 3.3 0 1 1 0 6.6 3.3 3.3 0 0 1 0-6.6',
  paused: 'M1.8 1h3.2v10H1.8zM7 1h3.2v10H7z',
  stalled: 'M6 .3 11.7 6 6 11.7.3 6z',
};

/** @returns {number} the colour of a row, as an index of TONES */
export function toneOfRow(store, row) {
  if (!store.alive[row]) {
    return 0;
  }
  const tone = TONE_OF[store.status[row]];
  return tone === ONLINE && store.isStalled(row) ? STALLED : tone;
}

/**
 * Returns what fits of a name and a number: both, or the name, or its beginning. A number that is cut off is another
 * number, and a name tells more than how many there are, which the cells show.
 *
 * @param {string} name
 * @param {string} number
 * @param {(text: string) => boolean} fits
 * @returns {string}
 */
export function fitted(name, number, fits) {
  const whole = [`${name}  ${number}`, name].find(fits);
  if (whole !== undefined) {
    return whole;
  }
  const letters = [...name].slice(0, MAX_LETTERS);
  const cut = () => `${letters.join('').trimEnd()}…`;
  while (letters.length > 0 && !fits(cut())) {
    letters.pop();
  }
  return letters.length > 0 ? cut() : '';
}

export class MapPaint {
  /** @param {HTMLCanvasElement} canvas @param {import('./store.js').FleetStore} store */
  constructor(canvas, store) {
    Object.assign(this, { canvas, store, scale: 1 });
    this.context = canvas.getContext('2d', { willReadFrequently: true });
    this.paths = Object.fromEntries(Object.entries(GLYPHS).map(([name, path]) => [name, new Path2D(path)]));
  }

  /**
   * Reads the colours from the style sheet, in the order of TONES: as pixel values, with a text colour that contrasts.
   */
  #colours() {
    const style = getComputedStyle(this.canvas);
    const probe = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
      .getContext('2d', { willReadFrequently: true });
    const read = (colour) => {
      probe.clearRect(0, 0, 1, 1);
      probe.fillStyle = colour;
      probe.fillRect(0, 0, 1, 1);
      return probe.getImageData(0, 0, 1, 1).data;
    };
    const colours = TONES.map((tone) => (tone === 'none'
      ? new Uint8ClampedArray(4) : read(style.getPropertyValue(`--map-${tone}`))));
    this.pixels = Uint32Array.from(colours, (colour) => new Uint32Array(colour.slice().buffer)[0]);
    this.inks = colours.map(([r, g, b]) => (0.299 * r + 0.587 * g + 0.114 * b > 128 ? '#14181f' : '#fff'));
    this.line = style.borderTopColor;
    this.ink = style.color;
    this.font = style.fontFamily;
  }

  /**
   * Paints the whole map.
   *
   * @param {import('./cells.js').Cells} cells
   * @param {(family: object) => [string, string]} labelOf name and size of a family
   */
  all(cells, labelOf) {
    const { canvas, context, store } = this;
    this.scale = devicePixelRatio || 1;
    this.cells = cells;
    canvas.width = Math.round(cells.width * this.scale);
    canvas.height = Math.round(cells.height * this.scale);
    this.#colours();
    this.image = context.createImageData(canvas.width, canvas.height);
    this.words = new Uint32Array(this.image.data.buffer);
    this.x = new Float32Array(store.capacity).fill(-1);
    this.y = new Float32Array(store.capacity);
    this.shown = new Uint8Array(store.capacity);
    this.seen = new Uint32Array(store.capacity);
    cells.each((row, x, y) => {
      [this.x[row], this.y[row]] = [x, y];
      this.#fill(row);
    });
    context.putImageData(this.image, 0, 0);
    cells.blocks.forEach((block) => this.#frame(block, labelOf(block.family)));
    if (cells.size >= GLYPH_PX) {
      cells.each((row) => this.#glyph(row));
    }
  }

  /** Repaints the cells whose colour has changed. @param {Int32Array} rows all rows on the map */
  changed(rows) {
    const { store, seen } = this;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (seen[row] !== store.version[row]) {
        seen[row] = store.version[row];
        if (this.shown[row] !== toneOfRow(store, row)) {
          const [x, y, size] = this.#fill(row);
          this.context.putImageData(this.image, 0, 0, x, y, size, size);
          this.#glyph(row);
        }
      }
    }
  }

  /** Fills a cell in the image buffer. @returns {[number, number, number]} its left, top and size, in device pixels */
  #fill(row) {
    const { scale, words, cells } = this;
    const tone = toneOfRow(this.store, row);
    this.shown[row] = tone;
    this.seen[row] = this.store.version[row];
    const gap = cells.size >= GAP_PX ? GAP : 0;
    const [x, y] = [Math.round(this.x[row] * scale), Math.round(this.y[row] * scale)];
    const size = Math.max(1, Math.round((cells.size - gap) * scale));
    const [pixel, width] = [this.pixels[tone], this.image.width];
    for (let line = y, end = Math.min(y + size, this.image.height); line < end; line++) {
      words.fill(pixel, line * width + x, line * width + Math.min(x + size, width));
    }
    return [x, y, size];
  }

  #glyph(row) {
    const { context, scale, cells } = this;
    const tone = this.shown[row];
    if (cells.size < GLYPH_PX || tone === 0) {
      return;
    }
    const isNamed = cells.size >= NAME_PX;
    const size = isNamed ? 14 : Math.min(14, cells.size - 5);
    const inset = isNamed ? 6 : (cells.size - GAP - size) / 2;
    context.save();
    context.scale(scale, scale);
    context.translate(this.x[row], this.y[row]);
    context.fillStyle = this.inks[tone];
    context.globalAlpha = tone === ONLINE ? 0.45 : 1;
    context.save();
    context.translate(inset, inset);
    context.scale(size / 12, size / 12);
    context.fill(this.paths[TONES[tone]], 'evenodd');
    context.restore();
    if (isNamed) {
      context.globalAlpha = 1;
      this.#name(visible(this.store.name(row)), cells.size - GAP);
    }
    context.restore();
  }

  /** Writes a name into a cell, in at most two lines, clipped. */
  #name(name, size) {
    const { context } = this;
    context.beginPath();
    context.rect(0, 0, size, size);
    context.clip();
    context.font = `12px ${this.font}`;
    const words = name.split(' ');
    const first = words[0].length < 4 && words.length > 1 ? words.splice(0, 2).join(' ') : words.shift();
    context.fillText(first, 6, 36);
    context.fillText(words.join(' '), 6, 51);
  }

  #frame({ x, y, width, height, label }, [name, size]) {
    const { context, scale } = this;
    context.save();
    context.scale(scale, scale);
    context.strokeStyle = this.line;
    context.strokeRect(x + 0.5, y + 0.5, width - 2, height - 2);
    if (label > 0) {
      context.fillStyle = this.ink;
      context.font = `600 12px ${this.font}`;
      context.fillText(fitted(name, size, (text) => context.measureText(text).width <= width - 12), x + 6, y + 15);
    }
    context.restore();
  }
}
