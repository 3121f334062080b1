import { render } from 'lit-html';
import * as clock from '/src/net/clock.js';
import { age, clock as timeOfDay, since } from '/src/parts/moment.js';
import { keepSetting } from '/src/parts/user-menu.js';
import { equal } from './assert.js';

export function showsExactTimesInPlaceOfAges() {
  const now = Date.parse('2026-11-25T02:16:09Z');
  clock.thaw();
  clock.sync(now);
  clock.freeze(now);
  const texts = () => {
    const root = document.createElement('div');
    document.body.append(root);
    render([age('2026-11-25T02:14:03Z'), since('2026-11-20T02:05:09Z'), timeOfDay('2026-11-20T02:05:09Z')], root);
    return [...root.querySelectorAll('mu-moment')].map(moment => moment.textContent);
  };
  equal(texts(), ['2 m 6 s ago', 'since 2026-11-20 02:05:09 (5 d)', '02:05:09']);
  keepSetting('times', 'exact');
  equal(texts(), ['2026-11-25 02:14:03 UTC', '2026-11-20 02:05:09 UTC', '02:05:09']);
  keepSetting('times', 'ages');
  clock.thaw();
}
