/** The page of a workspace, `/ui/w/{id}`, with its tabs. With the parameter `at` it opens workspace-past.js instead. */
import { html, nothing, render } from 'lit-html';
import { surroundings } from '../fleet/banners.js';
import { silentTogether } from '../fleet/trouble-groups.js';
import { now, onTick } from '../net/clock.js';
import { followWorkspace } from '../net/workspace-stream.js';
import { asCurl } from '../parts/curl.js';
import { Loaded, problem } from '../parts/loaded.js';
import { age } from '../parts/moment.js';
import { OpenedTab } from '../parts/opened-tab.js';
import { title } from '../parts/title.js';
import { remember } from '../parts/workspace-link.js';
import { visible } from '../text/safe.js';
import { timeOf } from '../text/time.js';
import { actionsOf } from './workspace-actions.js';
import { facts, head, why } from './workspace-head.js';
import { mayActFor, readsAll } from './rights.js';
import { ribbon } from './ribbon.js';
import { open as openPast } from './workspace-past.js';

/** tab → [label, module]; the modules have the interface of pages, and get `context.workspace`. */
const TABS = {
  now: ['Now', () => import('./now.js')],
  timeline: ['Timeline', () => import('./timeline.js')],
  chat: ['Chat', () => import('./chat.js')],
  delegations: ['Delegations', () => import('./delegations.js')],
  queue: ['Queue', () => import('./queue.js')],
  runs: ['Runs', () => import('./runs.js')],
  tokens: ['Tokens', () => import('./tokens.js')],
  card: ['Card', () => import('./card.js')],
};

/** The tabs of a removed workspace. The server answers 410 to the requests of the others. */
const OF_REMOVED = new Set(['now', 'runs', 'card']);

/** Events after which the record is read again. */
const CHANGES = /^(WORKSPACE_(?!HEARTBEAT)|AGENT_CARD_UPDATED|DELEGATION_)/;

const EVERY_MS = 30_000;

/** Delay until the history contains a status change. */
const HISTORY_DELAY_MS = 4000;

/** @type {import('./rights.js').Page['open']} */
export function open(root, first, context) {
  let [shown, key] = [null, ''];
  function show(place) {
    const time = timeOf(place.query);
    const at = time !== null && time < now() ? time : null;
    const asked = `${place.segments[1]} ${at ?? ''}`;
    if (asked === key) {
      shown.update(place);
    } else {
      shown?.close();
      key = asked;
      shown = at === null ? openNow(root, place, context) : openPast(root, place, { ...context, at });
    }
  }
  show(first);
  return { update: show, close: () => shown.close() };
}

function openNow(root, place, context) {
  const { call, session, navigate } = context;
  const id = place.segments[1] ?? '';
  const path = `/workspaces/${encodeURIComponent(id)}`;
  // to an agent, its peers show neither history nor live events
  const seesEvents = readsAll(session) || mayActFor(session, id);
  root.replaceChildren(document.createElement('div'), document.createElement('div'));
  const [top, below] = root.children;
  below.className = 'tab-page';
  const workspace = { id, record: null, row: null, heartbeats: [], removed: false };
  const tab = new OpenedTab(below);
  let query = place.query;
  let stream = 'live';
  let unfollow = null;

  const record = new Loaded(read, async () => {
    if (record.value !== undefined && record.value.found !== workspace.record) {
      take(record.value);
    }
    if (workspace.record !== null) {
      follow();
    }
    draw();
    await openTab();
  }).every(EVERY_MS);
  const periods = new Loaded((signal) => call('GET', `/console/history/${encodeURIComponent(id)}`, { signal }),
    () => draw());
  const actions = actionsOf(call, id, () => workspace.record,
    (removal) => (removal?.bulk_id ? navigate(`/ui/bulk/${removal.bulk_id}`) : record.refresh()));

  async function read(signal) {
    const found = await call('GET', path, { query: { include_removed: readsAll(session) ? 'true' : '' }, signal });
    const rows = readsAll(session) && !found.removed_at
      ? await call('GET', '/console/rows', { query: { ids: id }, signal }).catch(() => []) : [];
    return { found, row: rows[0] ?? null };
  }

  function take({ found, row }) {
    if (workspace.removed && found.status !== 'removed') {
      return; // an older response; a removed workspace does not come back
    }
    workspace.record = found;
    workspace.row = row;
    workspace.removed = found.status === 'removed';
    remember(id, found);
    title(`${visible(found.name)} · Muster`);
    if (workspace.removed) {
      periods.close();
    } else if (seesEvents) {
      periods.soon(periods.value === undefined ? 0 : HISTORY_DELAY_MS);
    }
  }

  const isThere = (name) => !workspace.removed || OF_REMOVED.has(name);

  function chosen() {
    const name = query.get('tab');
    return TABS[name] && isThere(name) ? name : 'now';
  }

  async function openTab() {
    const name = chosen();
    if (workspace.record !== null && tab.name !== name) {
      await tab.open(name, TABS[name][1], (module, page) =>
        module.open(page, { ...place, query }, { ...context, workspace, actions }));
    }
  }

  function onFrame(frame) {
    const { event, payload, timestamp } = frame;
    const known = workspace.record;
    if (known === null) {
      return;
    }
    if (event === 'WORKSPACE_HEARTBEAT') {
      Object.assign(known, { last_heartbeat_at: timestamp, active_tasks: payload.active_tasks ?? known.active_tasks,
        uptime_seconds: payload.uptime_seconds ?? known.uptime_seconds });
      workspace.heartbeats = [{ at: timestamp, ...payload }, ...workspace.heartbeats].slice(0, 20);
      if (known.status === 'degraded') {
        record.soon(1000); // no event is sent when only the error changes
      }
      draw();
    } else if (event === 'TASK_UPDATED') {
      Object.assign(known, { current_task: payload.current_task ?? known.current_task,
        active_tasks: payload.active_tasks ?? known.active_tasks });
      draw();
    } else if (CHANGES.test(event)) {
      record.soon();
    }
    if (event === 'WORKSPACE_REMOVED') { // at once, because what most tabs read is refused from now on
      take({ found: Object.assign(known, { status: 'removed', removed_at: timestamp }), row: null });
      draw();
      openTab();
    }
    tab.event(frame);
  }

  /**
   * Subscribes to the live events of the workspace, unless it is removed or the peer of an agent, whose events the
   * server refuses. After each connect the record is read again.
   */
  function follow() {
    if (workspace.removed || !seesEvents) {
      unfollow?.();
      unfollow = null;
      stream = workspace.removed ? 'live' : 'refused';
      return;
    }
    unfollow ??= followWorkspace(id, context.link, onFrame, (state) => {
      if (state === 'live') {
        record.soon();
        tab.event({ event: 'ACTIVITY_LOGGED', workspace_id: id, payload: {} });
      }
      stream = state;
      draw();
    });
  }

  /** Returns what the advice depends on besides the workspace; it is the same as on the page of the fleet. */
  function around() {
    const { fleet } = context;
    const { status, last_heartbeat_at: heard } = workspace.record;
    const isSilent = status === 'offline' && Boolean(heard) && fleet.isLoaded;
    return {
      ...surroundings(fleet, session.current(), now()),
      together: isSilent ? silentTogether(fleet.store, Math.floor(Date.parse(heard) / 1000)) : 0,
    };
  }

  /** Returns the url of a tab, with the current time zone. */
  const address = (name) => {
    const params = new URLSearchParams({ tab: name, ...(query.has('tz') ? { tz: query.get('tz') } : {}) });
    return `/ui/w/${encodeURIComponent(id)}?${params}`;
  };

  const count = (name) => {
    const row = workspace.row;
    const number = row === null ? 0 : name === 'queue' ? row.queue_depth
      : name === 'delegations' ? (row.in_flight_in ?? 0) + (row.in_flight_out ?? 0) : 0;
    return number > 0 ? html` <span class="tab-count">${number}</span>` : nothing;
  };

  const tabs = () => html`<nav class="tabs" aria-label="Parts of this workspace">${Object.entries(TABS)
    .filter(([name]) => (name !== 'tokens' || mayActFor(session, id))
      && (name !== 'queue' || readsAll(session)) && isThere(name))
    .map(([name, [words]]) => html`<a href=${address(name)}
        aria-current=${chosen() === name ? 'page' : nothing}>${words}${count(name)}</a>`)}</nav>`;

  function draw() {
    const found = workspace.record;
    if (found === null) {
      render(record.error ? html`${absent(record.error)}` : html`<p class="loading" role="status">Loading …</p>`, top);
      return;
    }
    const mayAct = mayActFor(session, id) && !workspace.removed;
    render(html`${head(workspace, { actions, mayAct, session,
      toChat: () => navigate(location.pathname, { tab: 'chat', focus: 'write' }) })}
      ${workspace.removed ? html`<div class="notice bad"
          role="status">This workspace was removed ${age(found.removed_at)}. What it did is kept
        for a while; nothing can be sent to it, and its id is not used again.</div>` : nothing}
      ${record.error ? problem(record.error, () => record.refresh()) : nothing}
      ${why(workspace, { actions, mayAct, around: around(), address, stream })}
      ${seesEvents && !workspace.removed
        ? ribbon(periods.value, now(), (iso) => `${address('timeline')}&at=${encodeURIComponent(iso)}`) : nothing}
      ${facts(workspace)}
      ${tabs()}`, top);
  }

  /** Returns the message for an id that is invalid, unknown, removed or forbidden. */
  function absent(failure) {
    const title = { 400: 'This is not the id of a workspace', 403: 'This workspace is not yours to see',
      404: 'No such workspace', 410: 'This workspace was removed' }[failure.status];
    return title === undefined
      ? problem(failure, () => record.refresh())
      : html`<h1>${title}</h1><p>${failure.detail}</p><p><a href="/">All workspaces</a></p>${asCurl({ path })}`;
  }

  const stopTicking = onTick(draw); // the ages in the box Why
  draw();
  record.refresh();
  return {
    update(next) {
      query = next.query;
      draw();
      if (tab.name === chosen()) {
        tab.update({ ...next, query });
      } else {
        openTab();
      }
    },
    close() {
      stopTicking();
      unfollow?.();
      record.close();
      periods.close();
      tab.close();
    },
  };
}
