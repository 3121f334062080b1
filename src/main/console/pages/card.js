/** The tab *Card* of a workspace: the agent card as the agent sent it. */
import { html, nothing, render } from 'lit-html';
import { asCurl } from '../parts/curl.js';
import { copyButton } from '../parts/copy.js';
import { empty } from '../parts/loaded.js';
import { block, inline, visible } from '../text/safe.js';

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { workspace } = context;
  const path = `/workspaces/${encodeURIComponent(workspace.id)}/.well-known/agent-card.json`;

  function draw() {
    const card = workspace.record.agent_card;
    if (card === null || card === undefined || typeof card !== 'object') {
      render(empty('This agent has no card.', html`<p>It sends one when it registers, or with a heartbeat.</p>`), root);
      return;
    }
    const text = JSON.stringify(card, null, 2);
    const skills = Array.isArray(card.skills) ? card.skills : [];
    render(html`${card.description ? block(card.description) : nothing}
      ${skills.length > 0
        ? html`<h2>Skills</h2><ul class="skills">${skills.map((skill) =>
          html`<li><b>${inline(skill?.name ?? skill?.id, { empty: 'no name' })}</b>
        ${skill?.description ? html`– ${inline(skill.description, { most: 400 })}` : nothing}</li>`)}</ul>` : nothing}
      <h2>The whole card ${copyButton(text, 'card')}</h2><pre class="document" tabindex="0" role="region"
          aria-label="Agent card">${visible(text, true)}</pre>
      <footer class="page-foot">${asCurl({ path })}</footer>`, root);
  }

  draw();
  return { update: draw, event: (frame) => frame.event === 'AGENT_CARD_UPDATED' && setTimeout(draw, 600), close() {} };
}
