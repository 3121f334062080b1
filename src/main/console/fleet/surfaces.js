/** Table, tree and map: the three ways to draw the fleet. The latter two are loaded when they are first asked for. */
import { toast } from '../parts/toast.js';
import { FleetTable } from './table.js';
import { oneOf } from './tools.js';

/** The views that a switch offers, by their names in the address. */
export const VIEWS = { table: 'Table', tree: 'Tree', map: 'Map' };

const LOAD = {
  tree: async (needs) => (await import('./tree.js')).fleetTree(needs),
  map: async (needs) => new (await import('./map.js')).FleetMap(needs),
};

/**
 * What draws the fleet.
 *
 * @typedef {object} Surface
 * @property {HTMLElement} element
 * @property {import('./view.js').Arrangement} arrangement
 * @property {number} chosen the row of the side sheet; -1 for none
 * @property {() => boolean} isInUse whether pointer or focus are on it, so that nothing may move
 * @property {() => number[]} visible the rows that can be seen
 * @property {() => void} refresh draws again: other rows, another order, another size
 * @property {(what?: {ages?: boolean, whole?: boolean}) => void} redraw draws what changed, ages too, or all that can be seen
 * @property {() => void} close
 */

export class Surfaces {
  /** @param {object} needs as those of FleetTable @param {() => void} loaded called when another one can be shown */
  constructor(needs, loaded) {
    Object.assign(this, { needs, loaded, isClosed: false });
    /** @type {Record<string, ?Surface>} null while it is being loaded */
    this.made = { table: new FleetTable(needs) };
    /** @type {Surface} */
    this.shown = this.made.table;
    this.name = 'table';
  }

  /** Shows what the address asks for; until it is loaded, what was shown before. */
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
