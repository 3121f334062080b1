/** The user menu: role, settings of this browser, and sign-out. */
import { html } from 'lit-html';
import { signOut } from '../net/session.js';
import { openKeys, openPalette } from './keys.js';

/** Settings that are stored in this browser: label and values with their labels; the first value is the default. */
export const SETTINGS = {
  theme: { label: 'Theme', values: { system: 'As the system', light: 'Light', dark: 'Dark' } },
  density: { label: 'Rows', values: { compact: 'Compact', roomy: 'Roomy' } },
  keys: { label: 'Single-key shortcuts', values: { on: 'On', off: 'Off' } },
};

/**
 * @param {'theme' | 'density' | 'keys'} name
 * @returns {string} the setting's value in this browser
 */
export function setting(name) {
  const values = Object.keys(SETTINGS[name].values);
  try {
    const kept = localStorage.getItem(`muster-${name}`);
    return values.includes(kept) ? kept : values[0];
  } catch {
    return values[0];
  }
}

/** Sets data-theme, data-density and data-keys of the document to the stored settings, and sends the event muster-settings. */
export function applySettings() {
  for (const name of Object.keys(SETTINGS)) {
    document.documentElement.dataset[name] = setting(name);
  }
  document.dispatchEvent(new CustomEvent('muster-settings'));
}

/** Stores and applies a setting. @param {string} name @param {string} value */
export function keepSetting(name, value) {
  try {
    localStorage.setItem(`muster-${name}`, value);
  } catch {
    // storage is blocked: the setting lasts until the page is closed
  }
  applySettings();
  document.documentElement.dataset[name] = value;
}

/**
 * @param {import('../net/session.js').Session} who
 * @returns {import('lit-html').TemplateResult}
 */
export function userMenu(who) {
  return html`<div class="user">
    <button type="button" class="quiet" popovertarget="user-menu" aria-haspopup="dialog">
      <bdi>${who.name}</bdi><span class="soft">${who.role === who.name ? '' : `(${who.role})`}</span>
      <span aria-hidden="true">▾</span>
    </button>
    <div id="user-menu" class="menu" popover>
      <p class="soft">${roleWords(who)}</p>
      <p class="soft">Signed in until <time datetime=${who.expires_at}>${when(who.expires_at)}</time></p>
      ${Object.keys(SETTINGS).map(choice)}
      <div class="actions">
        <button type="button" @click=${() => { hide(); openPalette(); }}>Find … <kbd>Ctrl K</kbd></button>
        <button type="button" @click=${() => { hide(); openKeys(); }}>Keys <kbd>?</kbd></button>
      </div>
      <div class="actions">
        <button type="button" @click=${() => leave(false)}>Sign out</button>
        <button type="button" class="quiet" @click=${() => leave(true)}>Sign out everywhere</button>
      </div>
      <p class="bad" id="user-menu-error" role="alert"></p>
    </div>
  </div>`;
}

function choice(name) {
  const { label, values } = SETTINGS[name];
  return html`<label class="field row"
    >${label}
    <select @change=${(event) => keepSetting(name, event.target.value)}>
      ${Object.entries(values).map(
        ([value, word]) => html`<option value=${value} ?selected=${setting(name) === value}>${word}</option>`,
      )}
    </select></label
  >`;
}

function roleWords(who) {
  switch (who.role) {
    case 'viewer':
      return 'A viewer sees everything and changes nothing.';
    case 'agent':
      return 'An agent sees its own workspace and its peers.';
    case 'operator':
      return 'An operator sees and changes everything but operators’ credentials.';
    default:
      return 'The admin sees and changes everything.';
  }
}

const hide = () => document.getElementById('user-menu').hidePopover();

function when(iso) {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

async function leave(everywhere) {
  try {
    await signOut(everywhere);
  } catch (failure) {
    document.getElementById('user-menu-error').textContent = failure.detail;
  }
}
