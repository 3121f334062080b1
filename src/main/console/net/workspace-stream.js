/** Subscribes to the events of one workspace, recorded and live: `/ws?workspace_id=…`. */
import { pageKey } from './api.js';

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 15_000;

/**
 * Subscribes to the events of a workspace, and reconnects until the returned function is called.
 *
 * @param {string} id
 * @param {(frame: {event: string, workspace_id: string, timestamp: string, payload: object, seq?: number}) => void}
 *   onFrame
 * @param {(state: 'live' | 'reconnecting') => void} onState `live` after each connect; events sent in between are not
 *   repeated
 * @returns {() => void} ends the subscription
 */
export function followWorkspace(id, onFrame, onState) {
  let socket = null;
  let closed = false;
  let delay = MIN_DELAY_MS;
  let timer = 0;

  function connect() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const key = pageKey();
    socket = new WebSocket(`${scheme}://${location.host}/ws?workspace_id=${encodeURIComponent(id)}`,
      key === null ? ['muster-ws'] : ['muster-ws', `muster-page.${key}`]);
    socket.onopen = () => {
      delay = MIN_DELAY_MS;
      onState('live');
    };
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      if (frame.workspace_id === id) {
        onFrame(frame);
      }
    };
    socket.onclose = ({ code }) => {
      if (closed) {
        return;
      }
      onState('reconnecting');
      if (code !== 1008) {
        timer = setTimeout(connect, delay * (0.75 + Math.random() / 2));
        delay = Math.min(delay * 2, MAX_DELAY_MS);
      }
    };
  }

  connect();
  return () => {
    closed = true;
    clearTimeout(timer);
    socket.close();
  };
}
