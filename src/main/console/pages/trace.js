/** The page `/ui/trace/{delegation_id}`: a delegation with its causes and effects, as a tree. */
import { html, nothing, render, svg } from 'lit-html';
import { now } from '../net/clock.js';
import { action } from '../parts/action.js';
import { age, until, when } from '../parts/moment.js';
import { copyButton } from '../parts/copy.js';
import { asCurl } from '../parts/curl.js';
import { Loaded, drawn, problem } from '../parts/loaded.js';
import { stateWord } from '../parts/state-word.js';
import { workspaceLink } from '../parts/workspace-link.js';
import { duration } from '../text/time.js';
import { inline } from '../text/safe.js';
import { failDelegation, retryDelegation } from './delegation-actions.js';
import { mayOperate } from './rights.js';
import { KIND } from './timeline-entry.js';
import { endOf, longestWait, spanOf, tookOf, treeOf } from './trace-model.js';

const EVERY_MS = 5000;
const ENDED = new Set(['completed', 'failed']);

/** @type {import('./rights.js').Page['open']} */
export function open(root, place, context) {
  const { call } = context;
  let id = place.segments[1] ?? '';
  const path = () => `/console/trace/${encodeURIComponent(id)}`;
  const trace = new Loaded((signal) => call('GET', path(), { signal }), draw).every(EVERY_MS);
  const opened = new Set();

  const toggle = (key) => {
    opened.delete(key) || opened.add(key);
    draw();
  };

  const bar = (node, { from, to }) => {
    const percent = (ms) => Math.round(((ms - from) / (to - from)) * 10_000) / 100;
    const x = percent(Date.parse(node.at));
    const width = Math.max(0.6, percent(endOf(node, now())) - x);
    return html`<svg class=${`span ${node.kind} ${node.status}`}
        aria-hidden="true">${svg`<rect x=${`${x}%`} y="4" width=${`${width}%`} height="10" rx="3"></rect>`}</svg>`;
  };

  const depths = ['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6'];

  const row = ({ node, depth }, span) => {
    const key = `${node.kind}:${node.id}`;
    const [glyph, word] = KIND[node.kind] ?? ['·', node.kind];
    const mine = node.kind === 'delegation' && node.id === id;
    const took = tookOf(node, now());
    return html`<li class=${`node ${node.kind} ${depths[Math.min(depth, depths.length - 1)]}`}
        aria-current=${mine ? 'true' : nothing} aria-level=${depth + 1}>
      <div class="node-what"><button type="button" class="disclose" aria-expanded=${opened.has(key)}
          @click=${() => toggle(key)}
          ><span aria-hidden="true">${glyph}</span> ${word}</button> ${stateWord(node.status)}
        <span>${node.from ? html`${workspaceLink(node.from)} → ` : nothing}${workspaceLink(node.to)}</span>
        ${took === null
          ? nothing : html`<span class="meta">${took < 1000 ? `${took} ms` : duration(took / 1000)}</span>`}</div>
      <div class="node-span">${bar(node, span)}</div>
      ${node.text
        ? html`<p class="node-text">${inline(node.text, { most: opened.has(key) ? 400 : 120 })}</p>` : nothing}
      ${node.result && (opened.has(key) || node.status === 'failed')
        ? html`<p class="node-text">→ ${inline(node.result, { most: 400 })}</p>` : nothing}
      ${opened.has(key)
        ? html`<dl class="facts-line"><div><dt>id</dt>
          <dd><code>${inline(node.id)}</code>${copyButton(node.id, `${word} id`)}</dd></div>
        <div><dt>begun</dt><dd>${age(node.at)}</dd></div>${node.deadline && !node.ended_at
          ? html`<div><dt>deadline</dt><dd>${until(node.deadline)}</dd></div>` : nothing}
        ${node.attempt ? html`<div><dt>attempt</dt><dd>${node.attempt}</dd></div>` : nothing}
        ${node.kind === 'delegation' && !mine
          ? html`<div><dd><a href="/ui/trace/${encodeURIComponent(node.id)}">from here</a></dd></div>` : nothing}</dl>`
        : nothing}
    </li>`;
  };

  const head = (nodes) => {
    const own = nodes.find((node) => node.kind === 'delegation' && node.id === id);
    const wait = longestWait(nodes, now());
    return html`<header class="page-head"><h1>Trace <code>${inline(id, { most: 60 })}</code>
        ${copyButton(id, 'delegation id')}</h1>
      ${own ? html`<span>${workspaceLink(own.from)} → ${workspaceLink(own.to)}</span> ${stateWord(own.status)}
        ${ENDED.has(own.status) ? nothing : html`<span class="meta">deadline ${until(own.deadline)}</span>`}
        ${mayOperate(context.session) && !ENDED.has(own.status) ? html`<span class="buttons">
          ${own.status === 'stuck' || own.status === 'dispatched'
            ? action('Retry', () => retryDelegation(call, id).then(() => trace.refresh())) : nothing}
          ${action('Fail…', () => failDelegation(call, id).then(() => trace.refresh()))}</span>` : nothing}` : nothing}
      ${wait ? html`<span class="meta">longest wait: ${workspaceLink(wait.node.to)},
          ${duration(wait.ms / 1000)}</span>` : nothing}</header>`;
  };

  const whole = ({ nodes, is_whole: isWhole }) => {
    const span = spanOf(nodes, now());
    return html`${head(nodes)}
      ${isWhole === false
        ? html`<p class="notice">This trace is larger than what is shown: 1,000 parts at most.</p>` : nothing}
      <p class="legend meta">${when(new Date(span.from).toISOString())} to ${when(new Date(span.to).toISOString())}:
        ${duration((span.to - span.from) / 1000)}. Every line is joined by ids; none is guessed.</p>
      <ol class="trace">${treeOf(nodes).map((one) => row(one, span))}</ol>`;
  };

  function draw() {
    const unknown = trace.error?.status === 404 && trace.value === undefined;
    render(html`${unknown
      ? html`<h1>No such delegation</h1>${problem(trace.error)}<p><a href="/ui/delegations">All delegations</a></p>`
      : drawn(trace, whole)}
      <footer class="page-foot">${asCurl({ path: path() })}</footer>`, root);
  }

  draw();
  trace.refresh();
  return {
    update(next) {
      id = next.segments[1] ?? '';
      opened.clear();
      trace.reset();
    },
    close: () => trace.close(),
  };
}
