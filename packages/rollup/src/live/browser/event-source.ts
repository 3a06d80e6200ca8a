const REOPEN_MS = 2_000;

export type Connection = 'connected' | 'lost' | 'refused';

export interface EventHandlers {
  /** Name of the events that are wanted. */
  readonly event: string;
  /** `refused`: the answer was no stream, as of a server with too many of them. */
  onConnection(state: Connection): void;
  onEvent(data: string): void;
}

export interface Events {
  /** For a stream that may be dead without an error. */
  reopen(): void;
  close(): void;
}

/** A connection of this page alone, opened again whenever it ends. */
export function openSource(url: string, { event, onConnection, onEvent }: EventHandlers): Events {
  let events: EventSource | undefined;
  let timer: number | undefined;
  let openedAt = Number.NEGATIVE_INFINITY;
  const open = () => {
    window.clearTimeout(timer);
    events?.close();
    const opened = new EventSource(url);
    events = opened;
    openedAt = performance.now();
    opened.onopen = () => onConnection('connected');
    opened.onerror = () => {
      const isRefused = opened.readyState === EventSource.CLOSED;
      onConnection(isRefused ? 'refused' : 'lost');
      // Only a broken connection is tried again by the browser.
      if (isRefused) timer = window.setTimeout(open, REOPEN_MS);
    };
    opened.addEventListener(event, ({ data }: MessageEvent<string>) => onEvent(data));
  };
  // Either may have ended the stream without an error, and neither tells whether the server can be reached.
  window.addEventListener('online', open);
  window.addEventListener('offline', open);
  open();
  return {
    reopen: () => {
      // Several pages may ask for it at once.
      if (performance.now() - openedAt > REOPEN_MS) open();
    },
    close: () => {
      window.removeEventListener('online', open);
      window.removeEventListener('offline', open);
      window.clearTimeout(timer);
      events?.close();
    },
  };
}
