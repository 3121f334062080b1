/** The sign-in page: signs in by the code in a link's url, or by a typed token. */
import { html, nothing, render } from 'lit-html';
import { isOverheard } from '../net/session.js';
import { commandLine } from '../parts/curl.js';
import { OVERHEARD } from '../parts/user-menu.js';
import { curlOf, variables } from '../text/curl.js';

/** Opens the page, and redeems a code in the url. */
export function open(root, place, { navigate, session }) {
  const state = { busy: false, error: null, spent: false };

  function draw() {
    render(view(state, submit), root);
  }

  async function attempt(proof) {
    state.busy = true;
    state.error = null;
    draw();
    try {
      await session.signIn(proof);
      if (place.segments[0] === 'signin') {
        navigate('/', {}, { replace: true });
      }
    } catch (failure) {
      state.busy = false;
      state.spent = failure.code === 'LINK_SPENT';
      state.error = failure.detail;
      draw();
    }
  }

  function submit(event) {
    event.preventDefault();
    const token = root.querySelector('#token');
    const name = root.querySelector('#name').value.trim();
    const value = token.value.trim();
    token.value = '';
    attempt(name === '' ? { token: value } : { token: value, name });
  }

  /** Removes the code from the url, so that it is not in the history or in screenshots, and signs in with it. */
  function redeem() {
    const code = /^#start=([A-Za-z0-9_-]{1,100})$/.exec(location.hash)?.[1];
    if (location.hash !== '') {
      history.replaceState(null, '', location.pathname + location.search);
    }
    if (code !== undefined) {
      attempt({ code });
    } else if (session.current() !== null) {
      navigate('/', {}, { replace: true });
    }
  }

  draw();
  root.querySelector('#token').focus();
  redeem();
  return {
    update(next) {
      place = next;
      redeem();
    },
    close() {
      render(nothing, root);
    },
  };
}

function view(state, submit) {
  return html`<section class="card signin" aria-busy=${state.busy}>
    <h1>Sign in to Muster</h1>
    ${state.error === null ? nothing : html`<p class="notice bad" role="alert">${state.error}</p>`}
    <p>Open the link that the server printed at its start, or paste a token of the admin, an operator, a
        viewer or an agent.</p>
    <form @submit=${submit}>
      <label class="field">Token<input id="token" type="password" autocomplete="off" spellcheck="false" required
          maxlength="512"></label>
      <label class="field">Name for the record<input id="name" autocomplete="nickname" maxlength="100"
          placeholder="night shift"></label>
      <p class="soft">The token is sent once and kept nowhere. The name stands in the audit beside what you do,
          and on the messages that you send.</p>
      <button type="submit" class="main" ?disabled=${state.busy}>${state.busy ? 'Signing in…' : 'Sign in'}</button>
    </form>
    ${newLink(state.spent)}
    ${
      isOverheard(location) ? html`<p class="notice warn">${OVERHEARD}</p>` : nothing
    }
  </section>`;
}

function newLink(isOpen) {
  return html`<details ?open=${isOpen}>
    <summary>Get a new link</summary>
    <p>With the embedded database, each start prints one; it works once, within ten minutes. The admin token
        makes others. First set what all commands of this console and its documentation use; where Muster has a
        database of its own, with the value of <code>ADMIN_TOKEN</code> in place of <code>$(…)</code>:</p>
    ${commandLine(variables(location.origin), 'variables')}
    <p>Then make a link:</p>
    ${commandLine(curlOf({ path: '/console/links', body: { role: 'operator', name: 'night shift' } }))}
  </details>`;
}
