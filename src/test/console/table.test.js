import { FleetStore } from '/src/fleet/store.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { tableKind } from '/src/fleet/row.js';
import { FleetTable } from '/src/fleet/table.js';
import { FleetView, TABLE } from '/src/fleet/view.js';
import { equal } from './assert.js';
import { fleet, msf1, uuid } from './fixtures.js';

const NOW = Date.parse('2026-11-25T02:16:09Z');

/** Shows a table. `taken` returns the rows that were drawn since its last call, except by their ages alone. */
function table(rows) {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(rows)));
  const view = new FleetView(store, () => NOW);
  view.show({ query: '', sort: 'name', direction: 'asc', arrangement: TABLE });
  const kind = tableKind(store);
  const drawn = [];
  let version = 'no gap';
  const shown = new FleetTable({
    view,
    mayChange: () => true,
    around: () => ({ now: NOW, staleAfterS: 180, version, togetherOf: row => view.troubleGroups.together(row) }),
    kind: { ...kind, draw: (slot, row, ...more) => (drawn.push(row), kind.draw(slot, row, ...more)) },
  });
  document.body.append(shown.element);
  shown.refresh();
  const offline = (row) => {
    const at = new Date(NOW).toISOString();
    view.touch([store.apply({ e: 'WORKSPACE_OFFLINE', w: uuid(row), at, since: at, status: 'offline' })]);
    shown.redraw();
  };
  return { shown, offline, become: word => (version = word), taken: () => drawn.splice(0).sort((a, b) => a - b) };
}

/** What a frame draws grows with the changes in it, not with the visible rows. */
export function drawsOnlyWhatChanged() {
  const { shown, offline, become, taken } = table(fleet(10, i => ({ heard: `2026-11-25T0${i === 5 ? 0 : 1}:10:0${i}Z` })));
  equal(taken(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  offline(3);
  offline(4);
  offline(5);
  equal(taken(), [3, 4, 5]);
  shown.redraw({ ages: true });
  equal(taken(), [3], 'the one that now says 2 fell silent together');
  shown.redraw({ ages: true });
  equal(taken(), []);
  become('a gap');
  shown.redraw({ ages: true });
  equal(taken(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
}
