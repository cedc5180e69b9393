// The live feed: one socket, which comes back by itself and goes on behind the last event, without doubles or gaps.
import { root } from './data.js';

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/**
 * `told({ state, event, retryAt, retry })`, with `state` one of connecting, live and waiting, where `retry()` waits no longer.
 * Give the last id that is shown already as `since`; without it the feed begins now. `idOf` gives an event's place in the feed; null for
 * a feed without places, where nothing that was missed comes again. `protocols()` are those of each new socket. Returns a function that
 * ends it.
 */
export function follow(told, { since, query = {}, path = 'ws/activity', idOf = ({ id }) => id, protocols } = {}) {
  let last = since;
  let pause = FIRST_PAUSE;
  let socket;
  let timer;
  let ended = false;

  function open() {
    clearTimeout(timer);
    if (ended) return;
    told({ state: 'connecting' });
    const url = new URL(path, root);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    if (last !== undefined) url.searchParams.set('since', last);
    const own = socketTo(url, protocols?.());
    if (!own) return wait();
    socket = own;
    own.onopen = () => {
      pause = FIRST_PAUSE;
      told({ state: 'live' });
    };
    own.onmessage = ({ data }) => {
      const event = parsed(data);
      // A socket that was replaced may still hand over what it had.
      if (own !== socket || !event) return;
      if (idOf) {
        const id = idOf(event);
        if (!Number.isSafeInteger(id) || (last !== undefined && id <= last)) return;
        last = id;
      }
      told({ state: 'live', event });
    };
    own.onclose = () => own === socket && wait();
  }

  function wait() {
    if (ended) return;
    const ms = pause * (0.75 + Math.random() / 2);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
    timer = setTimeout(open, ms);
    told({ state: 'waiting', retryAt: Date.now() + ms, retry: open });
  }

  // A page that is kept for the way back holds no socket, and one that comes back does not wait for its turn.
  const hide = () => socket?.close();
  const show = () => socket?.readyState !== WebSocket.OPEN && open();
  addEventListener('pagehide', hide);
  addEventListener('pageshow', ({ persisted }) => persisted && show());
  addEventListener('online', show);
  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    socket?.close();
    removeEventListener('pagehide', hide);
    removeEventListener('online', show);
  };
}

/** Undefined where a secret has letters that no subprotocol may have. */
function socketTo(url, protocols) {
  try {
    return new WebSocket(url, protocols);
  } catch {
    return undefined;
  }
}

function parsed(text) {
  try {
    const event = JSON.parse(text);
    return typeof event === 'object' && event !== null ? event : undefined;
  } catch {
    return undefined;
  }
}
