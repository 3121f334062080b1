/** Creates the table, tree and map of the fleet. The modules of tree and map are loaded at first use. */
import { toast } from '../parts/toast.js';
import { FleetTable } from './table.js';
import { oneOf } from './tools.js';

/** Name of a view in the url → label. */
export const VIEWS = { table: 'Table', tree: 'Tree', map: 'Map' };

const LOAD = {
  tree: async (needs) => (await import('./tree.js')).fleetTree(needs),
  map: async (needs) => new (await import('./map.js')).FleetMap(needs),
};

/**
 * A view of the fleet.
 *
 * @typedef {object} Surface
 * @property {HTMLElement} element
 * @property {import('./view.js').Arrangement} arrangement
 * @property {number} chosen the row of the side sheet; -1 for none
 * @property {() => boolean} isInUse whether it has the pointer or the focus; rows must not move then
 * @property {() => number[]} visible the visible rows
 * @property {() => void} refresh draws all, after a change of the rows, their order or the size
 * @property {(what?: {ages?: boolean, whole?: boolean}) => void} redraw draws changed rows; with `ages` also ages, with
 *   `whole` all visible rows
 * @property {() => void} close
 */

export class Surfaces {
  /** @param {object} needs the same as for FleetTable @param {() => void} loaded called when a module was loaded */
  constructor(needs, loaded) {
    Object.assign(this, { needs, loaded, isClosed: false });
    /** @type {Record<string, ?Surface>} null while it is being loaded */
    this.made = { table: new FleetTable(needs) };
    /** @type {Surface} */
    this.shown = this.made.table;
    this.name = 'table';
  }

  /**
   * Selects a view. Until its module is loaded, the view before stays.
   *
   * @param {?string} asked name of the view
   * @returns {Surface} the view to show
   */
  choose(asked) {
    const name = oneOf(VIEWS, asked);
    if (!(name in this.made)) {
      this.made[name] = null;
      this.#load(name);
    }
    if (this.made[name]) {
      this.shown = this.made[name];
      this.name = name;
    }
    return this.shown;
  }

  async #load(name) {
    try {
      const surface = await LOAD[name](this.needs);
      this.made[name] = surface;
      if (this.isClosed) {
        surface.close();
      } else {
        this.loaded();
      }
    } catch (error) {
      delete this.made[name];
      toast(`The ${name} could not be loaded: ${error.message}`, { isBad: true });
    }
  }

  close() {
    this.isClosed = true;
    Object.values(this.made).forEach((surface) => surface?.close());
  }
}
