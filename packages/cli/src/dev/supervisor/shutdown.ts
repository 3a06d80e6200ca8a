import { setTimeout as sleep } from 'node:timers/promises';
import type { Runner } from './runner.ts';

/** Ends one service: asks it, and kills it when the time is over. */
export async function endRunner(runner: Runner, ms: number): Promise<void> {
  await within(runner.terminate(), ms);
  await runner.kill();
}

/** Ends all services, the last started first, within one common time limit; then kills what is left. */
export async function endInReverse(runners: readonly Runner[], ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  const left = runners.toReversed();
  const ends: Promise<void>[] = [];
  for (const [index, runner] of left.entries()) {
    const ended = runner.terminate();
    ends.push(ended);
    // Each gets an equal share of what remains; unused time passes on to the next.
    await within(ended, (deadline - performance.now()) / (left.length - index));
  }
  await within(Promise.all(ends), deadline - performance.now());
  await Promise.all(left.map((runner) => runner.kill()));
}

/** Waits for `work`, but no longer than `ms`. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const abort = new AbortController();
  const pause = sleep(Math.max(ms, 0), undefined, { signal: abort.signal }).catch(() => undefined);
  await Promise.race([work, pause]);
  abort.abort();
}
