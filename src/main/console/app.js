/** Starts the console: loads the session, builds the frame, and opens the page that the url names. */
import { showBanners } from './fleet/banners.js';
import { LiveFleet } from './fleet/live.js';
import { call, pageKey, tell } from './net/api.js';
import * as clock from './net/clock.js';
import { Link } from './net/link.js';
import { Stream } from './net/stream.js';
import * as session from './net/session.js';
import { follow, here, navigate, PAGES } from './router.js';
import { frame } from './frame.js';
import { showConnection } from './parts/connection.js';
import { listenForKeys } from './parts/keys.js';
import { followFleet as followInLinks } from './parts/workspace-link.js';
import { useZone, zone } from './text/time.js';

const root = document.getElementById('app');
const shell = frame(root);

/** @type {?{name: string, handle: {update(place: object): void, close(): void}}} */
let open = null;
let visit = 0;
/** Whether the current page failed to load. */
let hasFailed = false;

const link = new Link({ probe: async (signal) => clock.sync((await call('GET', '/console/session', { signal })).now) });
const stream = new Stream({ key: pageKey, link });
const context = { call, session, navigate, stream, link, clock, banner: shell.banner, fleet: null };
let leaveFleet = () => {};

/** Stops the live fleet of the previous session, and starts one for the current session, if there is one. */
function followFleet() {
  leaveFleet();
  leaveFleet = () => {};
  const who = session.current();
  context.fleet = null;
  if (who !== null) {
    clock.sync(who.now);
    const stopWatching = link.start();
    const fleet = new LiveFleet({ call, stream, link });
    const hide = showConnection(link, () => document.getElementById('connection'), shell.banner);
    const hideBanners = showBanners(fleet, shell.banner);
    const stopCounting = fleet.onChange(() => shell.count(fleet.summary));
    context.fleet = fleet;
    followInLinks(fleet);
    leaveFleet = () => {
      followInLinks(null);
      stopCounting();
      shell.count(null);
      fleet.stop();
      hideBanners();
      hide();
      stopWatching();
    };
    fleet.start();
  }
}

function close() {
  open?.handle.close();
  open = null;
}

/** Opens or updates the page that the url names. Without a session it opens the sign-in page instead. */
async function show() {
  const mine = ++visit;
  hasFailed = false;
  const place = here();
  const asked = place.segments[0];
  const zoneBefore = zone();
  useZone(place.query.get('tz'));
  if (zone() !== zoneBefore) {
    close(); // the page is opened anew, since it redraws only what has changed
  }
  const name = session.current() === null ? 'signin' : asked;
  shell.draw(place, session.current());
  if (open?.name === name) {
    open.handle.update(place);
    return;
  }
  close();
  const page = PAGES[name];
  if (page === undefined) {
    shell.unknown(place, session.current());
    return;
  }
  try {
    const module = await page.load(session.current());
    if (mine === visit) {
      const handle = module.open(shell.page(), place, context);
      if (mine === visit) {
        open = { name, handle };
      } else {
        handle.close(); // it has led to another page
      }
    }
  } catch (failure) {
    if (mine === visit) {
      hasFailed = true;
      shell.failed(failure, show);
    }
  }
}

async function start() {
  try {
    await session.load();
  } catch (failure) {
    shell.failed(failure, start);
    return;
  }
  session.onChange(() => {
    document.getElementById('toasts')?.replaceChildren(); // they name what the person before did
    close();
    followFleet();
    show();
  });
  tell(link);
  followFleet();
  link.onState((state) => state === 'live' && hasFailed && show());
  follow(show);
  listenForKeys(context);
  show();
}

start();
