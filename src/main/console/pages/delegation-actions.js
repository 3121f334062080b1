/** The actions of an operator on a delegation. */
import { html } from 'lit-html';
import { confirm } from '../parts/dialog.js';

const pathOf = (id, verb) => `/admin/delegations/${encodeURIComponent(id)}/${verb}`;
const REASON = 'given up by an operator';

/**
 * Retries a delegation, which must be stuck or dispatched.
 *
 * @param {typeof import('../net/api.js').call} call
 * @param {string} id
 */
export function retryDelegation(call, id) {
  return call('POST', pathOf(id, 'retry'));
}

/**
 * Asks for a reason, and fails a delegation with it.
 *
 * @param {typeof import('../net/api.js').call} call
 * @param {string} id
 * @returns {Promise<unknown>} undefined when the user cancelled
 */
export function failDelegation(call, id) {
  return confirm({
    title: 'Fail this delegation?',
    text: html`<p>Its caller gets this reason as the result, once. A late answer of the callee is an ordinary
        message then.</p>`,
    typed: { label: 'Reason, for the caller' },
    action: 'Fail it',
    danger: true,
    requests: [{ method: 'POST', path: pathOf(id, 'fail'), body: { reason: REASON } }],
    run: (reason) => call('POST', pathOf(id, 'fail'), { body: { reason: reason || REASON } }),
  });
}
