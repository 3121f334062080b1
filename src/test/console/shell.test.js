import { equal, ok } from './assert.js';
import { asciiJson, command, quote } from '/src/text/shell.js';
import { curlOf, variables } from '/src/text/curl.js';

export function leavesPlainWordsAlone() {
  equal(quote('/workspaces/6f0e2a52-8c1e'), '/workspaces/6f0e2a52-8c1e');
  equal(quote(''), "''");
}

export function quotesEveryOtherWord() {
  equal(quote("'; rm -rf ~ #"), `''\\''; rm -rf ~ #'`);
  equal(quote('$(id)'), "'$(id)'");
  equal(quote('a b'), "'a b'");
}

export function neverLetsATerminalSeeAControlCharacter() {
  const quoted = quote('a\u001b[201~\nrm\r\u0003\u009b');
  ok(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(quoted), quoted);
}

export function putsCommandsTogether() {
  equal(command('printf', '%s', 'it\'s'), `printf %s 'it'\\''s'`);
}

export function writesJsonInPrintableAscii() {
  equal(asciiJson({ a: '\u202Eé😀\n' }), '{"a":"\\u202e\\u00e9\\ud83d\\ude00\\n"}');
  equal(JSON.parse(asciiJson({ a: '\u202Eé😀\n' })), { a: '\u202Eé😀\n' });
}

export function writesCurlAsTheDocumentationDoes() {
  equal(variables('http://h:1'), 'MUSTER=http://h:1 ADMIN="Authorization: Bearer $(cat ~/.muster/admin-token)"');
  equal(curlOf({ path: '/workspaces' }), 'curl -s $MUSTER/workspaces -H "$ADMIN"');
  equal(curlOf({ method: 'POST', path: '/workspaces/1/pause' }), 'curl -s -X POST $MUSTER/workspaces/1/pause -H "$ADMIN"');
  equal(curlOf({ path: '/admin/a2a-queue', query: { state: 'waiting', kind: '', target_id: null } }), `curl -s "$MUSTER"'/admin/a2a-queue?state=waiting' -H "$ADMIN"`);
  equal(curlOf({ method: 'POST', path: '/w/1/notify', body: { message: "it's" } }), `curl -s $MUSTER/w/1/notify -H "$ADMIN" -d '{"message":"it'\\''s"}'`);
  equal(curlOf({ path: '/workspaces', body: { name: 'a' } }), `curl -s $MUSTER/workspaces -H "$ADMIN" -d '{"name":"a"}'`);
  equal(curlOf({ method: 'DELETE', path: '/w/1', headers: { 'X-Confirm-Name': 'A b' } }), `curl -s -X DELETE $MUSTER/w/1 -H "$ADMIN" -H 'X-Confirm-Name: A b'`);
}
