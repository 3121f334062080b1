/**
 * The fleet of an agent's session: its workspace and its peers, as they are now. It has no band of times, since the
 * history of all workspaces is not for agents.
 */
import { html, nothing, render } from 'lit-html';
import { timeOf } from '../text/time.js';
import { open as openFleet } from './fleet.js';

/** @type {import('./rights.js').Page['open']} */
export function open(root, first, context) {
  const top = document.createElement('div');
  const below = document.createElement('div');
  below.className = 'page';
  root.classList.add('time-page');
  root.append(top, below);

  /** Says of a link to a past time why the page shows now. */
  function draw(place) {
    render(timeOf(place.query) === null
      ? nothing : html`<p class="notice of-agents" role="status">The fleet as it was is not for agents: this is the
      fleet now. The page of its own workspace shows an agent its past.
      <button type="button" class="small"
          @click=${() => context.navigate('/ui/fleet', now(place))}>Leave the past</button></p>`, top);
  }

  const now = ({ query }) => new URLSearchParams([...query].filter(([name]) => name !== 'at'));

  draw(first);
  const fleet = openFleet(below, first, context);
  return {
    update(place) {
      draw(place);
      fleet.update(place);
    },
    close: () => fleet.close(),
  };
}
