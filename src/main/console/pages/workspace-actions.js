/** The actions on a workspace, some of which ask for confirmation. */
import { html } from 'lit-html';
import { confirm } from '../parts/dialog.js';
import { inline } from '../text/safe.js';
import { pause } from './pause.js';

/**
 * Returns the actions by name.
 *
 * @param {typeof import('../net/api.js').call} call
 * @param {string} id
 * @param {() => object} record returns the latest record of the workspace
 * @param {(removal?: { bulk_id?: string }) => Promise<unknown> | void} changed called after each change; `bulk_id`
 *   is the run that ends what a large removal leaves
 */
export function actionsOf(call, id, record, changed) {
  const path = `/workspaces/${encodeURIComponent(id)}`;

  async function post(verb, options) {
    const answer = await call('POST', `${path}/${verb}`, options);
    await changed();
    return answer;
  }

  return {
    pause: async () => {
      const paused = await pause(call, id, (run) => confirm({
        title: 'Pause this workspace?',
        text: html`<p>Messages that wait stay where they are. New ones to a push agent are refused
            (<code>WORKSPACE_PAUSED</code>) until it is resumed,
          those to a poll agent are stored. Its agent is told to stop working.</p>`,
        action: 'Pause',
        requests: [{ method: 'POST', path: `${path}/pause` }],
        run,
      }));
      await (paused === null ? null : changed());
    },
    resume: () => post('resume'),
    restart: (reason) => post('restart', { body: reason ? { reason } : {} }),
    withdrawRestart: async () => {
      await call('DELETE', `${path}/restart`);
      await changed();
    },
    remove: () => {
      const name = record().name;
      return confirm({
        title: 'Remove this workspace?',
        text: html`<p>${inline(name)} and everything below it is removed: its tokens are revoked, its delegations end as
            failed, and its queued
          messages are dropped. This cannot be undone.</p>`,
        typed: { label: 'Type its name', expected: name },
        action: 'Remove',
        danger: true,
        requests: [{ method: 'DELETE', path, query: { confirm: true }, headers: /^[\x20-\x7e]+$/.test(name)
          ? { 'X-Confirm-Name': name } : {} }],
        run: async () => {
          const headers = /^[\x20-\x7e]+$/.test(name) ? { 'X-Confirm-Name': name } : {};
          await changed(await call('DELETE', path, { query: { confirm: true }, headers }));
        },
      });
    },
  };
}
