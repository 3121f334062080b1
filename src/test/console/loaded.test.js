// What a page reads: T3 of docs/internals/console.md.
import { render } from 'lit-html';
import { drawn, Loaded } from '/src/parts/loaded.js';
import { equal, until } from './assert.js';

/** Reads that the test answers, and what a page shows of the latest. */
function page() {
  const asked = [];
  const root = document.createElement('div');
  const draw = () => render(drawn(loaded, list => list.length === 0 ? 'Nothing yet' : list.join()), root);
  const loaded = new Loaded(() => new Promise((answer, refuse) => asked.push({ answer, refuse })), draw);
  draw();
  return { asked, loaded, text: () => root.textContent.replace(/\s+/g, ' ').trim() };
}

/** T3: what is not known yet is not empty. */
export async function nothingIsSaidToBeEmptyBeforeItIsRead() {
  const { asked, loaded, text } = page();
  const read = loaded.refresh();
  equal(text(), 'Loading …');
  asked[0].answer([]);
  await read;
  equal(text(), 'Nothing yet');
  const again = loaded.reset();
  equal(text(), 'Loading …', 'other things were asked for');
  asked[1].answer(['a']);
  await again;
  equal(text(), 'a');
  loaded.close();
}

/** T3: nor is what could not be read. */
export async function aFailureIsSaidAndKeepsWhatWasRead() {
  const { asked, loaded, text } = page();
  const first = loaded.refresh();
  asked[0].refuse(new Error('The server does not answer.'));
  await first;
  equal(text(), 'The server does not answer. Try again');
  const second = loaded.refresh();
  asked[1].answer(['a']);
  await second;
  equal(text(), 'a');
  const third = loaded.refresh();
  asked[2].refuse(new Error('The server does not answer.'));
  await third;
  equal(text(), 'The server does not answer. Try again a');
  document.dispatchEvent(new Event('muster-back'));
  equal(asked.length, 4, 'it is read again when the server is back');
  asked[3].answer(['b']);
  await until(() => text() === 'b');
  loaded.close();
  document.dispatchEvent(new Event('muster-back'));
  equal(asked.length, 4, 'not by a page that was left');
}

/** T5: of two reads the later one counts, whichever is answered first. */
export async function anOlderReadDoesNotReplaceANewerOne() {
  const { asked, loaded, text } = page();
  const reads = [loaded.refresh(), loaded.refresh()];
  asked[1].answer(['new']);
  await reads[1];
  asked[0].answer(['old']);
  await reads[0];
  equal(text(), 'new');
  loaded.close();
}
