import { glyphOf, markElement, statusMark } from '/src/parts/status-mark.js';
import { equal } from './assert.js';
import { render } from 'lit-html';

const glyph = element => element.querySelector('use').getAttribute('href');

export function aStalledWorkspaceDoesNotLookOnline() {
  const { element, show } = markElement();
  const shown = (status, stalled) => {
    show(status, stalled);
    return [element.textContent, element.className, glyph(element)];
  };

  equal(shown('online', false), ['online', 'status-mark tone-online', glyphOf('online')]);
  equal(shown('online', true), ['stalled', 'status-mark tone-stalled', glyphOf('stalled')]);
  equal(shown('offline', true), ['offline, stalled', 'status-mark tone-offline', glyphOf('offline')]);
  equal(shown('awaiting_agent', false), ['awaiting agent', 'status-mark tone-awaiting', glyphOf('awaiting_agent')]);
  equal(shown('online', false), ['online', 'status-mark tone-online', glyphOf('online')]);
}

export function aMarkWithStalledSaysBoth() {
  const space = document.createElement('div');
  render(statusMark('degraded', { stalled: true }), space);

  equal(space.textContent.replace(/\s+/g, ' ').trim(), 'degraded stalled');
  equal([...space.querySelectorAll('.status-mark')].map(mark => mark.className), ['status-mark tone-degraded', 'status-mark tone-stalled']);
}
