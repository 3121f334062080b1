import { equal, ok } from './assert.js';
import { layoutOf } from '/src/pages/graph-layout.js';

const columns = (edges) => Object.fromEntries(layoutOf(edges).nodes.map(({ id, x }) => [id, Math.round((x - 8) / 280)]));

export function putsCallersLeftOfThoseTheyCall() {
  equal(columns([{ from: 'a', to: 'b' }, { from: 'b', to: 'c' }, { from: 'a', to: 'c' }]), { a: 0, b: 1, c: 2 });
}

export function opensCircles() {
  const { nodes, lines } = layoutOf([{ from: 'a', to: 'b' }, { from: 'b', to: 'a' }, { from: 'a', to: 'a' }]);
  equal([nodes.length, lines.length], [2, 2]);
}

export function putsNoTwoNodesInOnePlace() {
  const edges = Array.from({ length: 300 }, (_, index) => ({ from: `n${index % 17}`, to: `n${(index * 7 + 3) % 90}` }));
  const { nodes, width, height } = layoutOf(edges);
  equal(new Set(nodes.map(({ x, y }) => `${x},${y}`)).size, nodes.length);
  ok(nodes.every(({ x, y }) => x < width && y < height));
}
