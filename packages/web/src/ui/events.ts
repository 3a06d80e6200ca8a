import { type Connection, type EventHandlers, type Events, openSource } from './event-source.ts';

/** A page in the background may be suspended with the connection that it holds for the others. */
const ANSWER_MS = 1_500;

type Shared =
  /** A page that has just come asks for the state. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'connection'; readonly state: Connection }
  | { readonly kind: 'event'; readonly data: string }
  /** For those that have asked: the state, and the last event. */
  | { readonly kind: 'answer'; readonly state: Connection | undefined; readonly data: string | undefined };

/**
 * A stream of events, opened again whenever it ends. Browsers give one server six connections, so all pages of a browser share
 * one, if they may use locks; a page that is left, and that may come back by the history, has none.
 */
export function openEvents(url: string, handlers: EventHandlers): Events {
  const isShared = 'locks' in navigator && 'BroadcastChannel' in window;
  let events: Events | undefined;
  const stop = () => {
    events?.close();
    events = undefined;
  };
  const start = () => {
    events ??= isShared ? joinEvents(url, handlers) : openSource(url, handlers);
  };
  const turn = () => {
    if (isShared) return;
    if (document.hidden) stop();
    else start();
  };
  window.addEventListener('pagehide', stop);
  window.addEventListener('pageshow', start);
  document.addEventListener('visibilitychange', turn);
  start();
  return {
    reopen: () => events?.reopen(),
    close: () => {
      window.removeEventListener('pagehide', stop);
      window.removeEventListener('pageshow', start);
      document.removeEventListener('visibilitychange', turn);
      stop();
    },
  };
}

/** The page with the lock has the connection and tells the others. A page that is looked at takes the lock from one that is silent. */
function joinEvents(url: string, handlers: EventHandlers): Events {
  const channel = new BroadcastChannel(url);
  let source: Events | undefined;
  let known: Omit<Shared & { kind: 'answer' }, 'kind'> = { state: undefined, data: undefined };
  let silence: number | undefined;

  const tell = (message: Shared) => channel.postMessage(message);
  const setConnection = (state: Connection) => {
    if (source !== undefined) tell({ kind: 'connection', state });
    known = { ...known, state };
    handlers.onConnection(state);
  };
  const setEvent = (data: string) => {
    if (source !== undefined) tell({ kind: 'event', data });
    known = { ...known, data };
    handlers.onEvent(data);
  };
  const leadership = joinLock(`events ${url}`, {
    won: () => {
      window.clearTimeout(silence);
      source = openSource(url, { event: handlers.event, onConnection: setConnection, onEvent: setEvent });
    },
    lost: () => {
      source?.close();
      source = undefined;
    },
  });
  const ask = () => {
    if (source !== undefined) return;
    tell({ kind: 'hello' });
    window.clearTimeout(silence);
    if (!document.hidden) silence = window.setTimeout(leadership.take, ANSWER_MS);
  };
  channel.onmessage = ({ data: message }: MessageEvent<Shared>) => {
    if (source !== undefined) {
      const { state, data } = known;
      if (message.kind === 'hello') tell({ kind: 'answer', state, data: state === 'connected' ? data : undefined });
      else if (message.kind === 'reopen') source.reopen();
      return;
    }
    if (message.kind === 'hello' || message.kind === 'reopen') return;
    window.clearTimeout(silence);
    if (message.kind === 'connection') setConnection(message.state);
    else if (message.kind === 'event') setEvent(message.data);
    else {
      if (message.state !== undefined && message.state !== known.state) setConnection(message.state);
      if (message.data !== undefined && message.data !== known.data) setEvent(message.data);
    }
  };
  document.addEventListener('visibilitychange', ask);
  ask();
  return {
    reopen: () => {
      if (source !== undefined) source.reopen();
      else tell({ kind: 'reopen' });
    },
    close: () => {
      document.removeEventListener('visibilitychange', ask);
      window.clearTimeout(silence);
      leadership.leave();
      source?.close();
      channel.close();
    },
  };
}

/** Waits for a lock that one page has, and again after it has lost it. */
function joinLock(name: string, { won, lost }: { readonly won: () => void; readonly lost: () => void }) {
  let isLeft = false;
  let release: (() => void) | undefined;
  let request: AbortController | undefined;
  const hold = () =>
    new Promise<void>((resolve) => {
      if (isLeft) return resolve();
      release = resolve;
      won();
    });
  const ask = (steal: boolean) => {
    request?.abort();
    const mine = new AbortController();
    request = mine;
    navigator.locks.request(name, steal ? { steal } : { signal: mine.signal }, hold).catch(() => {
      if (request !== mine) return;
      lost();
      if (!isLeft) ask(false);
    });
  };
  ask(false);
  return {
    /** Takes it from the page that has it. */
    take: () => ask(true),
    leave: () => {
      isLeft = true;
      request?.abort();
      release?.();
    },
  };
}
