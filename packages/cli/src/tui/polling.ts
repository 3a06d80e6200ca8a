import type { NetworkFacts } from './facts.ts';
import { askHttp, type PollState, poll, type Urls } from './poll.ts';

const POLL_MS = 1_000;

/** Polls the services once a second, until the returned function is called. */
export function startPolling(urls: Urls, onFacts: (facts: NetworkFacts) => void): () => void {
  let state: PollState = { facts: { rates: [], path: [] } };
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const again = async () => {
    const began = performance.now();
    state = await poll(urls, state, askHttp, () => performance.now());
    if (isOver) return;
    onFacts(state.facts);
    timer = setTimeout(() => void again(), Math.max(0, began + POLL_MS - performance.now()));
  };
  void again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
