/**
 * A button that runs an asynchronous action, is disabled meanwhile, and shows the error beside it when the action
 * fails.
 */
import { LitElement, html, nothing } from 'lit-element';

class ActionButton extends LitElement {
  static properties = {
    label: { attribute: false },
    run: { attribute: false },
    look: { attribute: false },
    hint: { attribute: false },
    off: { attribute: false },
    _busy: { state: true },
    _refusal: { state: true },
  };

  createRenderRoot() {
    return this;
  }

  async #act() {
    this._busy = true;
    this._refusal = '';
    try {
      await this.run();
    } catch (failure) {
      this._refusal = sentenceOf(failure);
    } finally {
      this._busy = false;
    }
  }

  render() {
    return html`<button type="button" class=${this.look ?? ''} title=${this.hint || nothing}
        ?disabled=${this._busy || this.off} aria-busy=${this._busy ? 'true' : nothing} @click=${() => this.#act()}
        >${this.label}</button><span class="refusal" role="alert">${this._refusal ?? ''}</span>`;
  }
}

customElements.define('mu-action', ActionButton);

/**
 * Returns the button.
 *
 * @param {string} label
 * @param {() => Promise<unknown>} run its error is shown beside the button
 * @param {{look?: string, hint?: string, off?: boolean}} [options] `look` is a class such as `main`, `hint` the
 *   tooltip, `off` disables the button
 */
export function action(label, run, { look = '', hint = '', off = false } = {}) {
  return html`<mu-action class="action" .label=${label} .run=${run} .look=${look} .hint=${hint}
      .off=${off}></mu-action>`;
}

/**
 * Returns why a call failed: the server's description if there is one.
 *
 * @param {{detail?: string, message?: string}} failure
 * @returns {string}
 */
export function sentenceOf(failure) {
  return failure?.detail || failure?.message || 'It failed, and the reason is not known.';
}
