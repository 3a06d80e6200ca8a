import { type NetworkFacts, SHARED } from './facts.ts';
import { askHttp, BEFORE_FIRST_POLL, poll, type Urls } from './poll.ts';
import { UsageMeter } from './usage.ts';

const POLL_MS = 1_000;

export interface Polled {
  readonly urls: Urls;
  processes(): readonly { readonly name: string; readonly pid?: number | undefined }[];
  onFacts(facts: NetworkFacts): void;
}

/** Processes of single services, and this one where it has services as its parts. */
function apart(services: ReturnType<Polled['processes']>): ReturnType<Polled['processes']> {
  const own = services.filter(({ pid }) => pid !== process.pid);
  return own.length === services.length ? own : [...own, { name: SHARED, pid: process.pid }];
}

/** Polls the services and measures their processes once a second, until the returned function is called. */
export function startPolling({ urls, processes, onFacts }: Polled): () => void {
  const meter = new UsageMeter();
  let state = BEFORE_FIRST_POLL;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const again = async () => {
    const began = performance.now();
    state = await poll(urls, state, askHttp, () => performance.now());
    if (isOver) return;
    onFacts({ ...state.facts, usage: meter.measure(apart(processes()), performance.now()) });
    timer = setTimeout(() => void again(), Math.max(0, began + POLL_MS - performance.now()));
  };
  void again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
