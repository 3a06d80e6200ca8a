/** A page in the background may be suspended with the source that it holds for the others. */
const ANSWER_MS = 1_500;

/** The part of the tab that holds the source for all of them. */
export interface Held<Request, News> {
  /** The state, for a tab that has just come. */
  greet(): News;
  request(request: Request): void;
  close(): void;
}

export interface TabsOptions<Request, News> {
  /** Whether a holder in the background gives way to a tab that is looked at: only that one can ask its user for something. */
  readonly isForUser?: boolean;
  /** This tab has become the holder. @param tell Gives news to all tabs, this one among them. */
  hold(tell: (news: News) => void): Held<Request, News>;
  receive(news: News): void;
}

export interface Tabs<Request> {
  /** Passes a request on to the holder. */
  request(request: Request): void;
  close(): void;
}

type Shared<Request, News> =
  | { readonly kind: 'hello' }
  | { readonly kind: 'request'; readonly request: Request }
  | { readonly kind: 'news'; readonly news: News };

/** Whether the browser lets tabs share; it does so only for pages from https:// or from this machine. */
export const canShare = (): boolean => 'locks' in navigator && 'BroadcastChannel' in globalThis;

/**
 * The tabs of one origin share a source: the tab with a lock holds it and tells the others. A tab that is looked at takes the lock from a
 * holder that is silent.
 */
export function joinTabs<Request, News>(
  name: string,
  { hold, receive, isForUser = false }: TabsOptions<Request, News>,
): Tabs<Request> {
  const channel = new BroadcastChannel(name);
  let held: Held<Request, News> | undefined;
  let silence: number | undefined;

  const post = (message: Shared<Request, News>) => channel.postMessage(message);
  const tell = (news: News) => {
    post({ kind: 'news', news });
    receive(news);
  };
  const lock = joinLock(name, {
    won: () => {
      window.clearTimeout(silence);
      held = hold(tell);
    },
    lost: () => {
      held?.close();
      held = undefined;
    },
  });
  const ask = () => {
    if (held !== undefined) return;
    post({ kind: 'hello' });
    window.clearTimeout(silence);
    if (!document.hidden) silence = window.setTimeout(lock.take, ANSWER_MS);
  };
  // Only pages of this origin use the channel.
  channel.onmessage = ({ data: message }: MessageEvent<Shared<Request, News>>) => {
    if (message.kind === 'news') {
      if (held !== undefined) return;
      window.clearTimeout(silence);
      receive(message.news);
    } else if (message.kind === 'hello') {
      // Without an answer it takes the lock.
      if (held !== undefined && !(isForUser && document.hidden)) post({ kind: 'news', news: held.greet() });
    } else held?.request(message.request);
  };
  document.addEventListener('visibilitychange', ask);
  ask();
  return {
    request(request) {
      if (held !== undefined) return held.request(request);
      post({ kind: 'request', request });
      ask();
    },
    close() {
      document.removeEventListener('visibilitychange', ask);
      window.clearTimeout(silence);
      lock.leave();
      held?.close();
      held = undefined;
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
