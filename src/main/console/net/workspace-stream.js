/** Subscribes to the events of one workspace, recorded and live: `/ws?workspace_id=…`. */
import { pageKey } from './api.js';
import { untilReopened } from './link.js';

/**
 * Subscribes to the events of a workspace, and reconnects until the returned function is called.
 *
 * @param {string} id
 * @param {import('./link.js').Link} link
 * @param {(frame: {event: string, workspace_id: string, timestamp: string, payload: object, seq?: number}) => void}
 *   onFrame
 * @param {(state: 'live' | 'reconnecting') => void} onState `live` after each connect; events sent in between are not
 *   repeated
 * @returns {() => void} ends the subscription
 */
export function followWorkspace(id, link, onFrame, onState) {
  let socket = null;
  let attempt = 0;
  let timer = 0;
  let isRefused = false;

  function connect() {
    if (socket !== null || isRefused) {
      return;
    }
    clearTimeout(timer);
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const key = pageKey();
    const mine = new WebSocket(`${scheme}://${location.host}/ws?workspace_id=${encodeURIComponent(id)}`,
      key === null ? ['muster-ws'] : ['muster-ws', `muster-page.${key}`]);
    socket = mine;
    mine.onopen = () => {
      if (socket === mine) {
        attempt = 0;
        link.heard();
        onState('live');
      }
    };
    mine.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      if (socket === mine && frame.workspace_id === id) {
        link.heard();
        onFrame(frame);
      }
    };
    mine.onclose = ({ code }) => {
      if (socket === mine) {
        socket = null;
        isRefused = code === 1008;
        onState('reconnecting');
        if (!isRefused) {
          timer = setTimeout(connect, untilReopened(attempt++));
        }
      }
    };
  }

  function drop() {
    clearTimeout(timer);
    attempt = 0;
    const open = socket;
    socket = null;
    open?.close();
  }

  const detach = link.attach({
    connect,
    drop() {
      drop();
      onState('reconnecting');
    },
  });
  connect();
  return () => {
    detach();
    isRefused = true;
    drop();
  };
}
