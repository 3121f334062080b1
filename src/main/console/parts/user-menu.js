/** The user menu: role, settings of this browser, and sign-out. */
import { html, nothing } from 'lit-html';
import { isOverheard, signOut } from '../net/session.js';
import { here, navigate } from '../router.js';
import { visible } from '../text/safe.js';
import { exact, zone } from '../text/time.js';
import { openKeys, openPalette } from './keys.js';

/** What a page on plain http says. */
export const OVERHEARD =
  'This page came over plain http: others on the network can overhear the session. '
    + 'Put a proxy with TLS in front and set PUBLIC_URL.';

/** Settings that are stored in this browser: label and values with their labels; the first value is the default. */
export const SETTINGS = {
  theme: { label: 'Theme', values: { system: 'As the system', light: 'Light', dark: 'Dark' } },
  density: { label: 'Rows', values: { compact: 'Compact', roomy: 'Roomy' } },
  times: { label: 'Times', values: { ages: 'Ages', exact: 'Exact' } },
  keys: { label: 'Single-key shortcuts', values: { on: 'On', off: 'Off' } },
};

/**
 * @param {'theme' | 'density' | 'times' | 'keys'} name
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

/** Sets data-theme and the like of the document to the stored settings, and sends the event muster-settings. */
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

/** @returns {[tz: string, label: string][]} the time zones to choose from; `tz` is the parameter of the url */
export function zones() {
  const asked = here().query.get('tz') ?? 'utc';
  const own = ['local', `Local (${Intl.DateTimeFormat().resolvedOptions().timeZone})`];
  return [['utc', 'UTC'], own, ...(asked === 'utc' || asked === 'local' || zone() === 'UTC' ? [] : [[asked, zone()]])];
}

/** Shows times in another zone. @param {string} tz utc, local, or the name of a zone */
export function chooseZone(tz) {
  const { path, query } = here();
  query.set('tz', tz);
  navigate(path, query);
}

/**
 * @param {import('../net/session.js').Session} who
 * @param {Location} [place]
 * @returns {import('lit-html').TemplateResult}
 */
export function userMenu(who, place = location) {
  const unsafe = isOverheard(place);
  return html`<div class="user">
    <button type="button" class="quiet" popovertarget="user-menu" aria-haspopup="dialog">
      <bdi>${visible(who.name)}</bdi><span class="soft">${who.role === who.name ? '' : `(${who.role})`}</span>
      ${unsafe ? html`<span class="unsafe">plain http</span>` : nothing}<span aria-hidden="true">▾</span>
    </button>
    <div id="user-menu" class="menu" popover>
      ${unsafe ? html`<p class="notice warn">${OVERHEARD}</p>` : nothing}
      <p class="soft">${roleWords(who)}</p>
      <p class="soft">Signed in until <time datetime=${who.expires_at}>${exact(who.expires_at)}</time></p>
      ${zoneChoice()} ${Object.keys(SETTINGS).map(choice)}
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
        ([value, word]) => html`<option value=${value} .selected=${setting(name) === value}>${word}</option>`,
      )}
    </select></label
  >`;
}

function zoneChoice() {
  const asked = here().query.get('tz') ?? 'utc';
  const chosen = zones().find(([tz]) => tz === asked)?.[0] ?? 'utc';
  return html`<label class="field row"
    >Time zone
    <select @change=${(event) => chooseZone(event.target.value)}>
      ${zones().map(([tz, word]) => html`<option value=${tz} .selected=${tz === chosen}>${word}</option>`)}
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

async function leave(everywhere) {
  try {
    await signOut(everywhere);
  } catch (failure) {
    document.getElementById('user-menu-error').textContent = failure.detail;
  }
}
