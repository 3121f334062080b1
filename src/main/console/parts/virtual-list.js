/** A list of any length. Only the visible rows have elements, which are reused while scrolling. */

/** Height at most of the list's element, since browsers limit it. For more rows the scroll position is scaled. */
const MAX_PX = 8_000_000;
/** Rows beyond the visible ones that have elements, above and below together. */
const SPARE = 12;

/**
 * @typedef {object} Slot
 * @property {HTMLElement} element
 * @property {number} index position of the row that it shows; -1 for none
 */

export class VirtualList {
  /**
   * @param {object} options
   * @param {HTMLElement} options.scroller the element that scrolls
   * @param {HTMLElement} options.space its child, whose height is set to that of all rows, and which holds the slots'
   *   elements
   * @param {() => Slot} options.make creates a slot with its element, which is positioned by a transform
   * @param {(slot: Slot, index: number) => void} options.draw called for every visible row at each render, so it should
   *   write only changes
   */
  constructor({ scroller, space, make, draw }) {
    Object.assign(this, { scroller, space, make, draw, count: 0, rowHeight: 32 });
    /** @type {Slot[]} */
    this.slots = [];
    this.first = 0;
    this.last = -1;
    scroller.addEventListener('scroll', () => this.#later(), { passive: true });
    this.observer = new ResizeObserver(() => this.#later());
    this.observer.observe(scroller);
  }

  close() {
    this.observer.disconnect();
  }

  /** Sets the number and height of the rows. @param {number} count @param {number} rowHeight px */
  size(count, rowHeight) {
    this.count = count;
    this.rowHeight = rowHeight;
    const whole = count * rowHeight;
    this.height = Math.min(whole, MAX_PX);
    this.space.style.height = `${this.height}px`;
    this.render();
  }

  /** Returns the px of rows per px of scrolling; 1 unless the height is limited. */
  #scale() {
    const [whole, seen] = [this.count * this.rowHeight, this.scroller.clientHeight];
    return whole <= this.height || this.height <= seen ? 1 : (whole - seen) / (this.height - seen);
  }

  #later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      if (this.scroller.isConnected) {
        this.render(); // otherwise it was removed from the page, and its rows may have changed
      }
    });
  }

  /** Draws the visible rows. */
  render() {
    const { scroller, rowHeight } = this;
    const seen = Math.ceil(scroller.clientHeight / rowHeight) + 1;
    const top = scroller.scrollTop * this.#scale();
    const shift = scroller.scrollTop - top;
    this.first = Math.max(0, Math.floor(top / rowHeight) - SPARE / 2);
    this.last = Math.min(this.count - 1, this.first + seen + SPARE - 1);
    while (this.slots.length < seen + SPARE) {
      const slot = this.make();
      slot.index = -1;
      slot.element.hidden = true;
      this.slots.push(slot);
      this.space.append(slot.element);
    }
    const size = this.slots.length;
    const shown = new Uint8Array(size);
    for (let index = this.first; index <= this.last; index++) {
      const slot = this.slots[index % size];
      shown[index % size] = 1;
      const at = `translateY(${index * rowHeight + shift}px)`;
      if (slot.at !== at) {
        slot.at = at;
        slot.element.style.transform = at;
      }
      slot.index = index;
      slot.element.hidden = false;
      this.draw(slot, index);
    }
    for (let i = 0; i < size; i++) {
      if (!shown[i] && this.slots[i].index !== -1) {
        this.slots[i].index = -1;
        this.slots[i].element.hidden = true;
      }
    }
  }

  /** Scrolls by the smallest amount that makes a row visible. @param {number} index */
  reveal(index) {
    const { scroller, rowHeight } = this;
    const scale = this.#scale();
    const [top, seen] = [scroller.scrollTop * scale, scroller.clientHeight];
    if (index * rowHeight < top) {
      scroller.scrollTop = (index * rowHeight) / scale;
    } else if ((index + 1) * rowHeight > top + seen) {
      scroller.scrollTop = ((index + 1) * rowHeight - seen) / scale;
    }
    this.render();
  }

  /** @param {number} index @returns {?Slot} the slot that shows the row; null while it is not visible */
  slotOf(index) {
    const slot = this.slots[index % (this.slots.length || 1)];
    return slot?.index === index ? slot : null;
  }

  /** @returns {number} rows to move by for a page key: one fewer than fit, at least 1 */
  page() {
    return Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight) - 1);
  }
}
