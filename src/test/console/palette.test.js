import { showPalette } from '/src/parts/palette.js';
import { equal, until } from './assert.js';
import { fleet, uuid } from './fixtures.js';
import { mount } from './fleet-mount.js';

export async function listsFewWorkspacesHoweverManyChange() {
  const { live } = mount(fleet(40));
  const context = { fleet: live, session: { current: () => ({ role: 'viewer', stale_after_s: 180 }), mayChange: () => false }, navigate() {} };
  showPalette(context);
  const dialog = document.querySelector('dialog');
  const field = dialog.querySelector('input');
  field.value = 'agent';
  field.dispatchEvent(new Event('input'));
  const options = () => dialog.querySelectorAll('[role=option]').length;
  await until(() => options() === 8, 'the first 8');
  live.apply(...Array.from({ length: 20 }, (_, i) => ({ e: 'WORKSPACE_DEGRADED', w: uuid(20 + i) })));
  equal(options(), 8);
  dialog.remove();
}
