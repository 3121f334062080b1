/** The fleet, now or at a past time. A band above it selects the time, which is the parameter `at` of the url. */
import { html, render } from 'lit-html';
import * as liveClock from '../net/clock.js';
import { isShortcut } from '../parts/keys.js';
import { toast } from '../parts/toast.js';
import { bandLine } from '../fleet/band-line.js';
import { band, changed, SPANS } from '../fleet/band.js';
import { PastFleet } from '../fleet/past.js';
import { timeOf } from '../text/time.js';
import { open as openFleet } from './fleet.js';

const MINUTE_MS = 60_000;
/** Delay after scrubbing until the url is updated. */
const REST_MS = 250;

/** @type {import('./rights.js').Page['open']} */
export function open(root, first, context) {
  const { call, fleet, navigate } = context;
  const top = document.createElement('section');
  let below = document.createElement('div');
  top.className = 'time-band';
  top.setAttribute('aria-label', 'Time');
  root.classList.add('time-page');
  root.append(top, below);

  let place = first;
  /** The time that is shown, in ms; null for now. During scrubbing and playing the url is updated later. */
  let at = null;
  let addressed = null;
  let [past, inner, minutes] = [null, null, null];
  let [span, failure, speed, compares] = ['24 h', '', 60, false];
  let [playing, rest, reads, reading] = [0, 0, 0, null];
  const buttons = {
    step,
    choose,
    play: () => (playing === 0 ? play() : stop()),
    speed: (times) => (speed = times),
    compare: () => {
      compares = !compares;
      draw();
    },
    back: () => address(null),
  };

  const end = () => (minutes ? Date.parse(minutes.up_to) : liveClock.now());
  const fullMinute = (ms) => Math.ceil(ms / MINUTE_MS) * MINUTE_MS;
  const range = () => {
    const to = fullMinute(minutes ? Date.parse(minutes.to) : liveClock.now());
    return { from: to - SPANS[span], to };
  };

  /** Opens the page of the fleet, with the live fleet or that of the past. */
  function mount() {
    inner?.close();
    const next = document.createElement('div');
    next.className = 'page';
    below.replaceWith(next);
    below = next;
    root.classList.toggle('as-it-was', past !== null);
    top.classList.toggle('is-now', past === null);
    inner = openFleet(below, place, past === null ? context : {
      ...context,
      fleet: past,
      session: { ...context.session, mayChange: () => false },
      clock: { ...liveClock, now: () => past?.at ?? liveClock.now(), onTick: (fn) => past.onTick(fn) },
    });
  }

  /** Applies the url. */
  function read() {
    const asked = timeOf(place.query);
    const changes = (asked === null) !== (past === null) || inner === null;
    if (asked === null) {
      halt();
      past?.close();
      [past, at, compares] = [null, null, false];
    } else if (asked === at && asked !== addressed) {
      fit(at); // the url follows scrubbing, which has asked for the time
    } else if (changes || asked !== addressed) {
      at = asked;
      showPast(asked);
    }
    addressed = asked;
    if (changes) {
      mount();
    } else {
      inner.update(place);
    }
    draw();
  }

  async function showPast(ms) {
    if (past === null) {
      past = new PastFleet(call);
      past.onChange(() => draw());
    }
    past.at = ms;
    const mine = past;
    await (minutes ?? readMinutes());
    if (mine === past) {
      mine.oldest = minutes ? Date.parse(minutes.oldest) : -Infinity;
      fit(past.at);
      await mine.seek(past.at);
      at = mine === past ? past.at : at;
      draw();
    }
  }

  /** Widens the band until it contains a time. */
  function fit(ms) {
    const found = Object.keys(SPANS).find((name) => SPANS[name] >= SPANS[span] && ms >= range().to - SPANS[name]);
    if (found !== undefined && found !== span) {
      choose(found);
    }
  }

  function choose(name) {
    span = name;
    readMinutes();
  }

  const readMinutes = () => (reading = readBand());

  async function readBand() {
    const mine = ++reads;
    const to = fullMinute(liveClock.now());
    const iso = (ms) => new Date(ms).toISOString();
    try {
      const read = await call('GET', '/console/fleet/minutes', { query: { from: iso(to - SPANS[span]), to: iso(to) } });
      if (mine === reads) {
        minutes = read;
        failure = '';
        if (past !== null) {
          past.oldest = Date.parse(read.oldest);
        }
      }
    } catch (error) {
      failure = mine === reads ? (error.detail ?? error.message) : failure;
    }
    draw();
  }

  /**
   * Shows a time at once, and updates the url after {@link REST_MS}. Only the step from now into the past adds a
   * history entry.
   */
  function scrub(ms) {
    stop();
    const to = Math.min(ms, end());
    if (at === null) {
      address(to);
    } else {
      at = to;
      past.seek(to);
      clearTimeout(rest);
      rest = setTimeout(() => address(to, { replace: true }), REST_MS);
      draw();
    }
  }

  function address(ms, options = {}) {
    clearTimeout(rest);
    const query = new URLSearchParams(place.query);
    if (ms === null) {
      query.delete('at');
    } else {
      query.set('at', new Date(ms).toISOString());
    }
    navigate('/ui/fleet', query, options);
  }

  /** Shows the previous or next status change; outside the loaded period, the minute that contains one. */
  async function step(direction) {
    await (minutes ?? reading); // without it there is no change to be found
    if (inner === null) {
      return; // the page has been closed meanwhile
    }
    const from = at ?? end();
    const near = at === null ? null : direction < 0 ? past.previous(from) : past.next(from);
    const found = near ?? (minutes ? changed(minutes, from, direction) : null);
    if (found !== null) {
      scrub(found);
    } else if (minutes !== null) { // otherwise the band says why
      toast(direction < 0 ? 'No earlier change within what the band shows' : 'No later change');
    }
  }

  function play() {
    let last = performance.now();
    const go = (now) => {
      const to = at + (now - last) * speed;
      if (to >= end()) {
        stop();
        return;
      }
      [last, at] = [now, to];
      past.seek(to);
      draw();
      playing = requestAnimationFrame(go);
    };
    playing = requestAnimationFrame(go);
    draw();
  }

  function halt() {
    cancelAnimationFrame(playing);
    playing = 0;
  }

  function stop() {
    if (playing !== 0) {
      halt();
      address(Math.round(at), { replace: true });
    }
  }

  function draw() {
    const upTo = minutes ? Date.parse(minutes.up_to) : null;
    render(html`${bandLine({ at, past, today: fleet.store, span, upTo, isPlaying: playing !== 0, speed,
      compares }, buttons)}
      ${failure ? html`<p class="meta" role="status">${failure}</p>` : band({ minutes, ...range(), at, scrub })}`, top);
  }

  function key(event) {
    if (isShortcut(event) && event.key === 't') {
      top.querySelector('[role=slider]')?.focus();
    } else if (isShortcut(event) && (event.key === '[' || event.key === ']')) {
      step(event.key === '[' ? -1 : 1);
    }
  }

  const timer = setInterval(() => document.hidden || readMinutes(), MINUTE_MS);
  document.addEventListener('keydown', key);
  read();
  reads > 0 || readMinutes();

  return {
    update(next) {
      place = next;
      read();
    },
    close() {
      clearInterval(timer);
      clearTimeout(rest);
      halt();
      document.removeEventListener('keydown', key);
      past?.close();
      inner.close();
      inner = null;
    },
  };
}
