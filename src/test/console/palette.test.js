import { showPalette } from '/src/parts/palette.js';
import { equal, until } from './assert.js';
import { fleet, uuid } from './fixtures.js';
import { mount } from './fleet-mount.js';

/** Opens the palette, and returns its field, which `type` fills. */
function palette(context) {
  showPalette(context);
  const dialog = document.querySelector('dialog');
  const field = dialog.querySelector('input');
  return {
    dialog,
    type(words) {
      field.value = words;
      field.dispatchEvent(new Event('input'));
    },
    enter: () => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })),
    options: () => [...dialog.querySelectorAll('[role=option]')].map((option) => option.textContent.replace(/\s+/g, ' ').trim()),
  };
}

const sessionOf = (role) => ({ current: () => ({ role, stale_after_s: 180 }), mayChange: () => role !== 'viewer' });

export async function listsFewWorkspacesHoweverManyChange() {
  const { live } = mount(fleet(40));
  const { dialog, type, options } = palette({ fleet: live, session: sessionOf('viewer'), navigate() {} });
  type('agent');
  await until(() => options().length === 8, 'the first 8');
  live.apply(...Array.from({ length: 20 }, (_, i) => ({ e: 'WORKSPACE_DEGRADED', w: uuid(20 + i) })));
  equal(options().length, 8);
  dialog.remove();
}

export async function findsWorkspacesThatTheFleetLearnsOfWhileItIsOpen() {
  const { live } = mount([]);
  live.isLoaded = false;
  const { dialog, type, options } = palette({ fleet: live, session: sessionOf('operator'), navigate() {} });
  type('agent');
  equal([options(), dialog.querySelector('[role=status]').textContent], [[], 'Loading the fleet…']);
  live.isLoaded = true;
  live.load(fleet(1));
  equal(options(), ['Agent 0 workspace']);
  type('absent');
  equal(dialog.querySelector('[role=status]').textContent, 'Nothing has this name.');
  dialog.remove();
}

export async function reachesEveryPage() {
  const { live } = mount([]);
  const visited = [];
  const context = { fleet: live, session: sessionOf('operator'), navigate: (path, query = {}) => visited.push(`${path}?${new URLSearchParams(query)}`) };
  for (const words of ['fleet page', 'delegations', 'queue', 'runs', 'tokens page', 'bulk', 'operations: audit', 'operations: jobs', 'new work']) {
    const { dialog, type, enter } = palette(context);
    type(words);
    enter();
    dialog.remove();
  }
  equal(visited, ['/?', '/ui/delegations?', '/ui/queue?', '/ui/runs?', '/ui/tokens?', '/ui/bulk?', '/ui/ops?tab=audit', '/ui/ops?tab=jobs', '/ui/welcome?']);
}
