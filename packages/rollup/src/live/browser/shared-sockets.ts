import type { OpenSocket, Socket } from '../connection.ts';
import { holdSocket, lockOf, type SocketNews, type SocketRequest } from './held-socket.ts';
import { whilePageIsOpen } from './page-life.ts';
import { canShare, joinTabs } from './tabs.ts';

/**
 * Sockets to a node for the tabs of one origin, over one real socket: a tab holds it and passes texts on. When another tab takes over, these
 * sockets are closed, and each connection opens another one. A page that may not share, as over plain HTTP, has a real one of its own.
 *
 * @example
 * ```ts
 * const app = liveClient(counter, { url: 'http://127.0.0.1:3030', socket: sharedSockets() });
 * ```
 */
export function sharedSockets(): OpenSocket {
  const joined = new Map<string, () => Socket>();
  return (url) => {
    // It has the members of the interface, with more facts in its events.
    if (!canShare()) return new WebSocket(url) as unknown as Socket;
    const open = joined.get(url) ?? joinSockets(url);
    joined.set(url, open);
    return open();
  };
}

/** Joins the tabs, as long as the page is open. */
function joinSockets(url: string): () => Socket {
  const name = `switchyard socket ${url}`;
  const sockets = new Map<string, { readonly socket: Socket; isOpen: boolean }>();
  const end = (key: string, code: number, reason: string) => {
    const { socket } = sockets.get(key) ?? {};
    socket?.close();
    socket?.onclose?.({ code, reason });
  };
  function receive(news: SocketNews): void {
    if (news.kind === 'held') {
      for (const [key, { isOpen }] of sockets) {
        if (isOpen) end(key, 1_001, 'another tab has the connection now');
        else request({ kind: 'open', key });
      }
    } else if (news.kind === 'closed') {
      end(news.key, news.code, news.reason);
    } else if (news.kind !== 'here') {
      const own = sockets.get(news.key);
      if (own === undefined) return;
      own.isOpen = true;
      if (news.kind === 'open') own.socket.onopen?.();
      else own.socket.onmessage?.({ data: news.text });
    }
  }
  const tabs = whilePageIsOpen(() => {
    const joined = joinTabs<SocketRequest, SocketNews>(name, { hold: (tell) => holdSocket(url, name, tell), receive });
    for (const key of sockets.keys()) joined.request({ kind: 'open', key });
    return {
      ...joined,
      close: () => {
        joined.close();
        for (const key of sockets.keys()) end(key, 1_001, 'the page was left');
      },
    };
  });
  const request = (wanted: SocketRequest) => tabs.get()?.request(wanted);

  return () => {
    const key = crypto.randomUUID();
    let release: () => void = () => undefined;
    const socket: Socket = {
      get readyState() {
        return sockets.get(key)?.isOpen === true ? WebSocket.OPEN : WebSocket.CONNECTING;
      },
      send: (text) => request({ kind: 'text', key, text }),
      close: () => {
        sockets.delete(key);
        release();
      },
    };
    sockets.set(key, { socket, isOpen: false });
    const hold = () =>
      new Promise<void>((resolve) => {
        release = resolve;
        // Closed before, or while the page was left.
        if (sockets.has(key)) request({ kind: 'open', key });
        else resolve();
      });
    // The holder of the real socket waits for this lock, and so notices the end of the tab too.
    void navigator.locks.request(lockOf(name, key), hold);
    return socket;
  };
}
