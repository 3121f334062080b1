import { render } from 'lit-html';
import { isOverheard } from '/src/net/session.js';
import { userMenu } from '/src/parts/user-menu.js';
import { equal } from './assert.js';

const at = (url) => new URL(url);

export function isOverheardOnPlainHttpOffLoopback() {
  equal(['http://muster.example', 'http://10.0.0.7:8080', 'http://127.evil.example', 'http://localhost.example'].map((url) => isOverheard(at(url))), [true, true, true, true]);
  equal(['https://muster.example', 'http://localhost:8080', 'http://a.localhost', 'http://127.0.0.1:8080', 'http://[::1]:8080'].map((url) => isOverheard(at(url))), [false, false, false, false, false]);
}

export function theMenuSaysThatASessionCanBeOverheard() {
  const who = { name: 'night shift', role: 'operator', expires_at: '2026-11-25T02:14:03Z' };
  const shown = (url) => {
    const root = document.createElement('div');
    render(userMenu(who, at(url)), root);
    return [root.querySelector('.unsafe')?.textContent ?? '', /others on the network can overhear/.test(root.textContent)];
  };
  equal(shown('http://muster.example'), ['plain http', true]);
  equal(shown('https://muster.example'), ['', false]);
  equal(shown('http://127.0.0.1:8080'), ['', false]);
}
