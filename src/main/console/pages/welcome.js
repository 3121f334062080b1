/**
 * The page `/ui/welcome`: creates the first workspace, shows the command that starts its agent, and waits until it is
 * online.
 */
import { html, nothing, render } from 'lit-html';
import { copyButton } from '../parts/copy.js';
import { asCurl } from '../parts/curl.js';
import { programAgent, shellAgent } from '../text/first-agent.js';
import { visible } from '../text/safe.js';

const EVERY_MS = 2000;

/** Opens the page. The token of the new workspace is not stored. */
export function open(root, place, { call, session, navigate, fleet }) {
  const state = { name: '', agent: null, status: null, busy: false, error: null };
  let timer = 0;

  const stopWatching = fleet.onChange(leave);

  /**
   * An empty fleet leads here. The fleet opens again when its first workspace is made elsewhere, unless one is being
   * made here.
   */
  function leave() {
    if (place.query.has('empty') && fleet.store.total() > 0 && state.name === '' && !state.busy
      && state.agent === null) {
      navigate('/', {}, { replace: true });
    }
  }

  const draw = () => render(view(state, session.mayChange(), { make, type }), root);

  function type({ target }) {
    state.name = target.value;
    draw();
  }

  async function make(event) {
    event.preventDefault();
    const { path, body } = requestOf(state.name);
    state.busy = true;
    state.error = null;
    draw();
    try {
      const made = await call('POST', path, { body });
      state.agent = { url: location.origin, id: made.id, token: made.auth_token, name: body.name };
      timer = setInterval(poll, EVERY_MS);
    } catch (failure) {
      state.error = failure.detail;
    }
    state.busy = false;
    draw();
  }

  async function poll() {
    try {
      state.status = (await call('GET', `/workspaces/${state.agent.id}`)).status;
      state.error = null;
    } catch (failure) {
      state.error = failure.detail;
    }
    if (state.status === 'online') {
      clearInterval(timer);
    }
    draw();
  }

  draw();
  leave();
  return {
    update() {},
    close() {
      stopWatching();
      clearInterval(timer);
      render(nothing, root);
    },
  };
}

/** Returns the request that creates a workspace. */
const requestOf = (name) => ({ path: '/workspaces', body: { name: name.trim() || 'Echo', delivery_mode: 'poll' } });

function view(state, mayChange, on) {
  return html`<section class="welcome">
    <h1>Connect the first agent</h1>
    <p>
      An agent is any program that holds the token of a workspace: it sends heartbeats, receives messages,
      and answers them.
      Muster shows how it is, and keeps what it missed.
    </p>
    ${state.error === null ? nothing : html`<p class="notice bad" role="alert">${state.error}</p>`}
    ${state.agent === null ? start(state, mayChange, on) : connect(state)}
  </section>`;
}

function start(state, mayChange, { make, type }) {
  if (!mayChange) {
    return html`<p class="notice">You are signed in to read. An operator can create a workspace here.</p>`;
  }
  return html`<form class="card" @submit=${make}>
    <label class="field">Name of the agent<input id="agent-name" maxlength="255" placeholder="Echo" autocomplete="off"
        @input=${type}></label>
    <button type="submit" class="main" ?disabled=${state.busy}>Create its workspace</button>
    <p class="soft">Next comes a command to copy. It needs nothing but <code>sh</code> and <code>curl</code>.</p>
    ${asCurl(requestOf(state.name))}
  </form>`;
}

function connect({ agent, status }) {
  const online = status === 'online';
  return html`<ol class="welcome-steps">
    <li>
      <h2>Run this in a terminal</h2>
      <p>It needs <code>sh</code> and <code>curl</code>, registers the agent, and answers each message until Ctrl-C.</p>
      ${command('sh', shellAgent(agent))}
      <p class="soft">The command contains the agent's token. It is shown this once: it is gone when you
          leave the page.</p>
    </li>
    <li aria-live="polite">
      <h2>${online ? html`<bdi>${visible(agent.name)}</bdi> is online` : 'Waiting for its first heartbeat'}</h2>
      ${
        online
          ? html`<p class="actions">
              <a class="button main" href=${`/ui/w/${agent.id}?tab=chat`}>Say hello to it</a>
              <a class="button" href="/">See the fleet</a>
            </p>`
          : html`<p class="soft">This page looks every two seconds.</p>`
      }
    </li>
    <li>
      <h2>Then make it yours</h2>
      <p>
        The agent program makes any command an agent. Run this in the folder of Muster's sources: to build it
        wants Maven and a
        JDK 25, to run it Java 21 or newer.
      </p>
      ${command('program', programAgent(agent))}
      <p>
        A program on the JVM uses the library <code>dev.muster:muster-agent</code>, which the same build
        makes. Other languages
        speak HTTP: <code>docs/agents/http-poll.md</code>. All calls are in the
            <a href="/swagger-ui.html">API description</a>.
      </p>
    </li>
  </ol>`;
}

function command(id, text) {
  return html`<div class="command-box">
    ${copyButton(text, 'command')}
    <pre class="shell" tabindex="0" id=${`command-${id}`}><code>${text}</code></pre>
  </div>`;
}
