/** The page of the fleet: counts, causes, and the workspaces as table, tree or map. */
import { html, nothing, render } from 'lit-html';
import { isShortcut } from '../parts/keys.js';
import { surroundings } from '../fleet/banners.js';
import { causesOf } from '../fleet/cause-lines.js';
import { causeList, counts, queryOf } from '../fleet/counts.js';
import { groupList, groups } from '../fleet/groups.js';
import { RowActions } from '../fleet/row-actions.js';
import { Selection } from '../fleet/selection.js';
import { sheet } from '../fleet/sheet.js';
import { Surfaces, VIEWS } from '../fleet/surfaces.js';
import { foot, GROUPS, oneOf, tools } from '../fleet/tools.js';
import { FleetView } from '../fleet/view.js';

/** Causes or groups are listed again after a multiple of the time that it took, within these bounds, in ms. */
const LIST_FACTOR = 400;
const [LIST_MS, LIST_MAX_MS] = [1000, 4000];
/**
 * A snapshot may be half a minute old. For this long after it, events that are caught up with move rows even in use.
 */
const CATCH_UP_MS = 3000;

/** @param {number} took what the list took, in ms @returns {number} when it is made again, in ms from its end */
export const pauseAfter = (took) => Math.min(LIST_MAX_MS, Math.max(LIST_MS, took * LIST_FACTOR));

/**
 * Opens the page.
 *
 * @param {HTMLElement} root
 * @param {import('../router.js').Place} first
 * @param {object} context of the pages; `fleet` is a LiveFleet or a PastFleet
 */
export function open(root, first, context) {
  const { fleet, session, navigate, call, clock } = context;
  const { store } = fleet;
  const view = new FleetView(store, clock.now);
  const selection = new Selection({ view, mayChange: session.mayChange, changed: () => surface.redraw() ?? draw(),
    open: navigate });
  const actions = new RowActions({
    store,
    call,
    opened: () => place.query.get('sel'),
    open: (id) => {
      go({ sel: id }, { replace: place.query.has('sel') });
      root.querySelector('.sheet .refusal')?.scrollIntoView({ block: 'nearest' });
    },
    done: () => fleet.refresh(),
  });
  const needs = {
    view,
    selection,
    around,
    mayChange: session.mayChange,
    choose: (row) => go({ sel: store.id(row) }),
    act,
    sort: (sort) => go(sort === view.sort
      ? { dir: view.direction === 'asc' ? 'desc' : '' } : { sort: sort === 'severity' ? '' : sort, dir: '' }),
    released: () => settle(),
  };
  const surfaces = new Surfaces(needs, () => read());
  let surface = surfaces.shown;
  let place = first;
  let grouped = '';
  /** The causes or groups that are shown, and what they depend on besides the rows, as it was then. */
  let found = null;
  let explained = '';
  let explainAt = 0;
  let frame = 0;
  let isDirty = false;

  root.classList.add('fleet-page');
  fleet.visible = () => surface.visible();
  fleet.needsHeartbeats = () => view.dependsOnHeartbeats();

  function around() {
    return { ...surroundings(fleet, session.current(), clock.now()),
      togetherOf: (row) => view.troubleGroups.together(row) };
  }

  /** Sets parameters of the url. With `replace` no history entry is added, as for typed text. */
  function go(changes, { replace = false } = {}) {
    const query = new URLSearchParams(place.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value) {
        query.set(name, value);
      } else {
        query.delete(name);
      }
    }
    navigate('/ui/fleet', query, { replace });
  }

  function act(row, action) {
    if (action === 'choose') {
      selection.toggle(row);
    } else {
      actions.run(store.id(row), store.name(row), action);
    }
  }

  /** Applies view, filter and sort of the url. */
  function read() {
    const { query } = place;
    surface = surfaces.choose(query.get('view'));
    root.dataset.view = surfaces.name;
    const { arrangement } = surface;
    const asked = { query: query.get('q') ?? '', sort: query.get('sort') ?? 'severity',
      direction: query.get('dir') === 'desc' ? 'desc' : 'asc', arrangement };
    const group = oneOf(GROUPS, query.get('group'));
    if (Object.entries(asked).some(([name, value]) => view[name] !== value) || group !== grouped
      || view.rows.length === 0) {
      grouped = group;
      view.show(asked);
      explain();
      fleet.isLoaded && view.dependsOnHeartbeats() && fleet.refresh();
    }
    surface.chosen = store.rowOf(query.get('sel') ?? '');
    draw(); // first, since the table needs its height for refresh
    surface.refresh();
  }

  const circumstances = ({ version }) => `${version},${view.troubleGroups.silences}`;

  function explain() {
    const start = performance.now();
    const by = around();
    found = grouped === 'none' ? null : grouped === 'cause' ? causesOf(view.troubleGroups, by)
      : groups(store, view.matched, grouped);
    explained = circumstances(by);
    const end = performance.now();
    explainAt = end + pauseAfter(end - start);
  }

  function apply() {
    view.apply();
    explain();
    surface.refresh();
    draw();
  }

  /** Moves changed rows to their places, unless the rows are in use. */
  function settle() {
    const isCatchingUp = performance.now() < fleet.loadedAt + CATCH_UP_MS;
    surface.element.setAttribute('aria-busy', String(isCatchingUp || !fleet.isLoaded));
    if (view.moved.size > 0 && (isCatchingUp || view.rows.length === 0 || !surface.isInUse())) {
      view.settle();
      surface.refresh();
    }
    draw();
  }

  function changed(touched) {
    // an event may have added its row, a new snapshot may have moved it
    surface.chosen = store.rowOf(place.query.get('sel') ?? '');
    if (touched === null) {
      apply();
    } else {
      view.touch(touched);
    }
    isDirty = true;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      surface.redraw();
    });
    if (fleet.store.total() === 0) {
      draw();
    }
  }

  /** Runs once a second: updates ages, causes, and the order of rows that are not in use. */
  function tick() {
    // a cause stays under the pointer
    isDirty ||= explained !== circumstances(around()) || Boolean(found?.lines?.some(({ isAged }) => isAged));
    if (isDirty && performance.now() > explainAt && !root.querySelector('.causes')?.matches(':hover, :focus-within')) {
      isDirty = false;
      explain();
    }
    if (view.dependsOnTime() && !surface.isInUse()) {
      apply();
    }
    surface.redraw({ ages: true, whole: fleet.isPast });
    settle();
  }

  function draw() {
    // The cached snapshot may be older than the first workspace; the summary is at most a second old.
    if (fleet.isCurrent && store.total() === 0 && fleet.summary?.total === 0) {
      navigate('/ui/welcome', { empty: 'true' }, { replace: true });
      return;
    }
    selection.follow();
    render(page(), root);
  }

  function page() {
    const { query } = place;
    const chosen = surface.chosen;
    const state = fleet.failure
      ? html`<p class="notice bad" role="alert">${fleet.failure} <button type="button"
          @click=${() => fleet.start()}>Try again</button></p>`
      : !fleet.isLoaded && store.total() === 0
        ? html`<p class="hidden-label" role="status">Loading the fleet…</p>`
        : nothing;
    return html`<h1 class="hidden-label">Fleet</h1>
      ${counts(fleet, query.get('q') ?? '', (q) => go({ q }))}
      ${tools({ views: VIEWS, query, error: view.error?.message ?? null, go })} ${state} ${trouble()}
      <div class=${fleet.isLoaded || store.total() > 0 || fleet.failure ? 'fleet-body' : 'fleet-body loading-rows'}
          >${surface.element}${
        chosen >= 0 && query.get('sel')
          ? sheet({ store, row: chosen, around: { ...around(), together: view.troubleGroups.together(chosen) },
            mayChange: session.mayChange(), act, refused: actions.refused, close: () => go({ sel: '' }) })
          : nothing
      }</div>
      ${selection.bar()} ${foot({ view, isPast: fleet.isPast === true, q: query.get('q') ?? '',
        isLoaded: fleet.isLoaded, isCurrent: fleet.isCurrent, apply, go,
        hasRuns: session.current()?.role !== 'agent' })}`;
  }

  /** Draws causes or groups, once all workspaces are known that they explain. */
  function trouble() {
    if (!fleet.isLoaded) {
      return nothing;
    }
    return grouped === 'cause' || grouped === 'none'
      ? found && causeList(found, clock.now(), (line) => go({ q: queryOf(line, errorsOf(line), clock.now()) }),
        session.mayChange() ? askFor : null)
      : groupList(found, grouped, (q) => go({ q }));
  }

  const rowsOf = ({ groups: all }) => view.troubleGroups.rowsOf(all, around());

  const askFor = (action, line) => selection.ask(action, { ids: rowsOf(line).map((row) => store.id(row)) });

  const errorsOf = (line) => [...new Set(rowsOf(line).map((row) => store.word('error', row)))];

  function key(event) {
    if (!isShortcut(event)) {
      return;
    }
    if (event.key === '/') {
      event.preventDefault();
      root.querySelector('#filter')?.focus();
    } else if (event.key === '.') {
      apply();
    }
  }

  const resized = () => surface.refresh();
  const stops = [fleet.onChange(changed), clock.onTick(tick)];
  document.addEventListener('keydown', key);
  document.addEventListener('muster-settings', resized);
  addEventListener('resize', resized);
  read();

  return {
    update(next) {
      place = next;
      actions.follow();
      read();
    },
    close() {
      actions.isClosed = true;
      stops.forEach((stop) => stop());
      document.removeEventListener('keydown', key);
      document.removeEventListener('muster-settings', resized);
      removeEventListener('resize', resized);
      cancelAnimationFrame(frame);
      fleet.visible = () => [];
      fleet.needsHeartbeats = () => false;
      surfaces.close();
    },
  };
}
