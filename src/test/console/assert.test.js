import {equal, fails, ok, until} from './assert.js';

export function comparesByValue() {
  equal({a: [1, 2]}, {a: [1, 2]});
  equal(new Uint8Array([1, 2]), [1, 2]);
  fails(() => equal(1, 2), /expected 2/);
}

export function failsWhenNothingIsThrown() {
  fails(() => fails(() => 1, /x/), /no error/);
  fails(() => ok(false, 'this'), /this does not hold/);
}

export async function waitsForACondition() {
  let done = false;
  setTimeout(() => (done = true), 20);
  await until(() => done);
}
