import type { Random } from '@switchyard/service/testing';
import type { ClientLog, Intent, Outcome } from '../record.ts';

/** A signed transaction of one account. */
export interface Signed {
  readonly id: string;
  readonly intent: Intent;
  /** Sends it once. @param cut Ends the connection after the request is written, without waiting for the answer. */
  send(options: { readonly cut: boolean }): Promise<Answer>;
}

export interface Answer {
  readonly outcome: Outcome;
  /** `next`: this nonce is spent, by this transaction. `again`: the same bytes again after a pause. */
  readonly follow: 'next' | 'again';
  readonly detail?: string;
}

/** An account and its transactions. */
export interface Sender {
  readonly from: string;
  sign(nonce: number): Signed;
}

export interface LaneOptions {
  readonly log: ClientLog;
  readonly random: Random;
  /** Mean distance of two transactions. */
  readonly periodMs: number;
  /** Share of requests whose connection is ended before the answer. */
  readonly cutShare: number;
  /** No new transactions from now on. */
  readonly stopped: AbortSignal;
  /** Gives up the transactions under way. */
  readonly abandoned: AbortSignal;
}

/** A lane makes up for no more than this that it is behind its pace. */
const MAX_BEHIND_MS = 2_000;
const RETRY_MS = 100;

/** Sends one transaction after another, as a careful client does: the same bytes again until it knows their outcome. */
export async function runLane(sender: Sender, firstNonce: number, options: LaneOptions): Promise<void> {
  const { log, random, periodMs, cutShare, stopped, abandoned } = options;
  let due = performance.now() + random.next() * periodMs;
  for (let nonce = firstNonce; ; nonce += 1) {
    due = Math.max(due, performance.now() - MAX_BEHIND_MS);
    await pause(due - performance.now(), stopped);
    if (stopped.aborted) return;
    due += periodMs * (0.5 + random.next());
    const signed = sender.sign(nonce);
    log.write({ kind: 'sent', id: signed.id, from: sender.from, nonce, intent: signed.intent });
    for (;;) {
      const { outcome, follow, detail } = await signed.send({ cut: random.chance(cutShare) });
      log.write({ kind: 'answer', id: signed.id, outcome, ...(detail === undefined ? {} : { detail }) });
      if (follow === 'next') break;
      if (abandoned.aborted) {
        log.write({ kind: 'gave-up', id: signed.id });
        return;
      }
      await pause(RETRY_MS * (0.5 + random.next()), abandoned);
    }
  }
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
