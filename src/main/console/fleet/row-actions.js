/** Runs the actions of single workspaces, and keeps the last refusal for the side sheet. */
import { pause } from '../pages/pause.js';
import { sentenceOf } from '../parts/action.js';
import { toast } from '../parts/toast.js';

/**
 * @param {string} id
 * @param {string} action `pause`, `resume` or `restart`
 * @returns {import('../text/curl.js').Request} the request of the action
 */
export const actionRequest = (id, action) => ({ method: 'POST', path: `/workspaces/${id}/${action}` });

const UNDO = { pause: 'resume', resume: 'pause' };

export class RowActions {
  /**
   * @param {object} needs
   * @param {import('./store.js').FleetStore} needs.store
   * @param {typeof import('../net/api.js').call} needs.call
   * @param {() => ?string} needs.opened the id of the workspace in the side sheet; null or '' for none
   * @param {(id: string) => void} needs.open opens its side sheet, which shows `refused`
   * @param {() => void} needs.done called after each action
   */
  constructor(needs) {
    Object.assign(this, needs);
    /** @type {?{id: string, action: string, sentence: string}} */
    this.refused = null;
    this.isClosed = false;
  }

  /** Runs a POST action such as pause. An undo, which may come much later, is of the same workspace. */
  async run(id, name, action) {
    this.refused = null;
    try {
      const done = await (action === 'pause'
        ? pause(this.call, id) : this.call('POST', actionRequest(id, action).path).then(() => 'one'));
      if (done === null) {
        return;
      }
      // a branch may have had paused workspaces before, which an undo would resume
      const undo = done === 'branch' ? null : UNDO[action];
      const what = action === 'restart' ? 'restart requested; its next heartbeat tells it' : `${action}d`;
      toast(`${name}: ${what}${done === 'branch' ? ' with all below it' : ''}`,
        undo ? { action: { label: 'Undo', run: () => this.run(id, name, undo) } } : {});
    } catch (error) {
      this.#refuse(id, name, action, sentenceOf(error));
    }
    this.done();
  }

  /** Shows a refusal in the side sheet of the workspace. A message shows it when that of another one is open. */
  #refuse(id, name, action, sentence) {
    if (this.isClosed || (this.opened() || id) !== id || this.store.rowOf(id) < 0) {
      toast(`${name}: ${sentence}`, { isBad: true });
    } else {
      this.refused = { id, action, sentence };
      this.open(id);
    }
  }

  /** Drops the refusal when the side sheet of its workspace was closed. */
  follow() {
    this.refused = this.opened() === this.refused?.id ? this.refused : null;
  }
}
