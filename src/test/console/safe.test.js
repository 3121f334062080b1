import { equal, ok } from './assert.js';
import { render } from 'lit-html';
import { toast } from '/src/parts/toast.js';
import { addressOf, block, clamp, inline, links, visible } from '/src/text/safe.js';

export function namesControlCharacters() {
  equal(visible('a\u0000b\u001b[31m\u007f'), 'a⟨NUL⟩b⟨ESC⟩[31m⟨DEL⟩');
  equal(visible('a\nb\tc'), 'a⟨LF⟩b⟨TAB⟩c');
  equal(visible('\u0085\u009b'), '⟨U+0085⟩⟨U+009B⟩');
}

export function namesThemInMessagesToo() {
  toast('ad\u200Bmin: paused');
  equal(document.querySelector('.toast bdi').textContent, 'ad⟨U+200B⟩min: paused');
}

export function keepsLinesWhereTheyAreWanted() {
  equal(visible('a\r\nb\tc\rd', true), 'a\nb\tc⟨CR⟩d');
  equal(visible('a\u2028b', true), 'a⟨U+2028⟩b');
}

export function showsWhatChangesTheDirection() {
  equal(visible('invoice\u202Efdp.exe'), 'invoice⟨U+202E⟩fdp.exe');
  equal(visible('\u2066x\u2069\u200F'), '⟨U+2066⟩x⟨U+2069⟩⟨U+200F⟩');
}

export function showsWhatHasNoWidth() {
  equal(visible('ad\u200Bmin\uFEFF'), 'ad⟨U+200B⟩min⟨U+FEFF⟩');
  equal(visible('\u{E0041}\u3164'), '⟨U+E0041⟩⟨U+3164⟩');
  equal(visible('Ar\u200Dthur'), 'Ar⟨U+200D⟩thur', 'a joiner that joins nothing');
}

export function leavesAloneWhatLanguagesNeed() {
  for (const text of ['👩‍👩‍👧', '🏳️‍🌈', 'می‌خواهم', 'क्‍ष', 'é', 'مرحبا', 'שלום', '日本語']) {
    equal(visible(text), text);
  }
}

export function replacesHalvesOfCharacters() {
  equal(visible('\uD800x\uDC00'), '\uFFFDx\uFFFD');
  equal(visible('😀'), '😀');
}

export function takesAnythingForAText() {
  equal([visible(null), visible(undefined), visible(7), visible({})], ['', '', '7', '[object Object]']);
}

export function cutsBetweenCharacters() {
  equal(clamp('abc', 3), { start: 'abc', rest: '' });
  equal(clamp('abcd', 3), { start: 'abc', rest: 'd' });
  equal(clamp('😀😀😀', 2), { start: '😀😀', rest: '😀' });
}

export function linksOnlyWhatAReaderMayFollow() {
  equal(links('see https://a.example/x?y=1, and javascript:alert(1)'), [
    { text: 'see ' }, { text: 'https://a.example/x?y=1', href: 'https://a.example/x?y=1' }, { text: ', and javascript:alert(1)' }]);
  equal(links('http://'), [{ text: 'http://' }]);
  for (const bad of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', ' https://x', 'https://a\u202Eb', 'https://a.example/\u202Egpj.exe', 'https://a.example/x\u200By', '//x', '/ui/fleet', null, 5, 'vbscript:x', 'https:x']) {
    equal(addressOf(bad), null, String(bad));
  }
  equal(addressOf('https://a.example'), 'https://a.example/');
}

export function showsALinkWholeAndLeadsAwaySafely() {
  const place = stage();
  render(block('look: http://user@a.example/%2e'), place);
  const link = document.querySelector('a');
  equal([link.textContent, link.target, link.rel], ['http://user@a.example/%2e', '_blank', 'noopener noreferrer']);
}

export function opensTheRestOfALongText() {
  const place = stage();
  render(block('x'.repeat(5000)), place);
  equal(document.querySelector('summary').textContent, 'more: 3,000 characters');
  equal(place.textContent.match(/x/g).length, 5000);
  render(inline('y'.repeat(500)), place);
  equal(document.querySelector('bdi').textContent, `${'y'.repeat(160)}…`);
}

export function makesNoElementOfText() {
  const place = stage();
  render(block('<img src=x onerror=alert(1)><script>1</script>'), place);
  ok(place.querySelector('img, script') === null);
  equal(place.textContent.trim(), '<img src=x onerror=alert(1)><script>1</script>');
}

const stage = () => document.body.appendChild(document.createElement('div'));
