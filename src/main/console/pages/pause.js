/** Pauses a workspace, or the whole branch where it has children. */
import { html } from 'lit-html';

/**
 * Pauses a workspace. When the server refuses this since it has children, asks whether to pause all below it as well.
 *
 * @param {typeof import('../net/api.js').call} call
 * @param {string} id
 * @param {(run: () => Promise<unknown>) => Promise<unknown>} [ask] asks for confirmation, and runs the pause then;
 *   resolves to undefined when it was cancelled
 * @returns {Promise<?('one' | 'branch')>} what was paused; null for nothing
 * @throws {import('../net/api.js').ApiError} for every other refusal
 */
export async function pause(call, id, ask = async (run) => (await run()) ?? true) {
  const path = `/workspaces/${encodeURIComponent(id)}/pause`;
  let refusal = null;
  const done = await ask(async () => {
    try {
      return await call('POST', path);
    } catch (failure) {
      if (failure.code !== 'CONFIRMATION_REQUIRED') {
        throw failure;
      }
      refusal = failure;
      return null;
    }
  });
  if (refusal === null) {
    return done === undefined ? null : 'one';
  }
  const { confirm } = await import('../parts/dialog.js');
  const whole = { method: 'POST', path, query: { cascade: true } };
  const all = await confirm({
    title: 'Pause the whole branch?',
    text: html`<p>It has others below it, and is paused only together with them. To resume them all, choose it in the
        fleet and resume it there “with all that is below
        them”; the button <em>Resume</em> resumes one alone.</p>
      <p class="meta">${refusal.detail}</p>`,
    action: 'Pause all',
    requests: [whole],
    run: () => call('POST', path, { query: whole.query }),
  });
  return all === undefined ? null : 'branch';
}
