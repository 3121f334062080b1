/** Starts the console: who is signed in, the frame around the pages, and the page of the address. */
import { call } from './net/api.js';
import * as session from './net/session.js';
import { follow, here, navigate, PAGES } from './router.js';
import { frame } from './frame.js';

const root = document.getElementById('app');
const shell = frame(root);

/** @type {?{name: string, handle: {update(place: object): void, close(): void}}} */
let open = null;
let visit = 0;

const context = { call, session, navigate, stream: null, clock: null };

function close() {
  open?.handle.close();
  open = null;
}

/** Shows the page of the address; signed out, the sign-in page stands in its place. */
async function show() {
  const mine = ++visit;
  const place = here();
  const asked = place.segments[0];
  const name = session.current() === null ? 'signin' : asked;
  shell.draw(place, session.current());
  if (open?.name === name) {
    open.handle.update(place);
    return;
  }
  close();
  const page = PAGES[name];
  if (page === undefined) {
    shell.unknown(place);
    return;
  }
  try {
    const module = await page.load();
    if (mine === visit) {
      open = { name, handle: module.open(shell.page(), place, context) };
    }
  } catch (failure) {
    if (mine === visit) {
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
    close();
    show();
  });
  follow(show);
  show();
}

start();
