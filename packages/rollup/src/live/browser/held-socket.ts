import { SocketIds } from './socket-ids.ts';
import type { Held } from './tabs.ts';

/** From a socket of a tab, with the key that it has among all tabs. */
export type SocketRequest =
  | { readonly kind: 'open'; readonly key: string }
  | { readonly kind: 'text'; readonly key: string; readonly text: string };

export type SocketNews =
  | { readonly kind: 'here' }
  /** Another tab holds the real socket from now on. */
  | { readonly kind: 'held' }
  | { readonly kind: 'open'; readonly key: string }
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  | { readonly kind: 'closed'; readonly key: string; readonly code: number; readonly reason: string };

/** A tab has this lock while its socket is open. */
export const lockOf = (name: string, key: string): string => `${name} ${key}`;

/** The real socket for the sockets of all tabs, each of which has ids of its own. */
export function holdSocket(
  url: string,
  name: string,
  tell: (news: SocketNews) => void,
): Held<SocketRequest, SocketNews> {
  const keys = new Map<string, AbortController>();
  let ids = new SocketIds();
  let socket: WebSocket | undefined;

  function open(): WebSocket {
    const opened = new WebSocket(url);
    opened.onopen = () => {
      for (const key of keys.keys()) tell({ kind: 'open', key });
    };
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      try {
        for (const [key, text] of ids.fromNode(data, keys.keys())) tell({ kind: 'text', key, text });
      } catch {
        opened.close(4_002, 'the node sent something else than JSON-RPC');
      }
    };
    opened.onclose = ({ code, reason }) => stop(code, reason);
    return opened;
  }
  function stop(code: number, reason: string) {
    const closed = [...keys];
    keys.clear();
    ids = new SocketIds();
    if (socket !== undefined) socket.onclose = null;
    socket?.close();
    socket = undefined;
    for (const [key, watch] of closed) {
      watch.abort();
      tell({ kind: 'closed', key, code, reason });
    }
  }
  function leave(key: string) {
    keys.delete(key);
    for (const drop of ids.leave(key)) socket?.send(drop);
    if (keys.size === 0) stop(1_000, 'no tab is left');
  }

  // Tabs that wait for a socket ask the new holder for it.
  queueMicrotask(() => tell({ kind: 'held' }));
  return {
    greet: () => ({ kind: 'here' }),
    request(request) {
      const { key } = request;
      if (request.kind === 'text') return socket?.send(ids.toNode(key, request.text));
      if (!keys.has(key)) {
        const watch = new AbortController();
        keys.set(key, watch);
        navigator.locks.request(lockOf(name, key), { signal: watch.signal }, () => leave(key)).catch(() => undefined);
      }
      if (socket?.readyState === WebSocket.OPEN) tell({ kind: 'open', key });
      socket ??= open();
    },
    close: () => stop(1_001, 'another tab has the connection now'),
  };
}
