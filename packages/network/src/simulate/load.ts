import { sleep } from '@switchyard/service';
import type { DevAccount } from '../accounts/accounts.ts';
import type { Chance } from './chance.ts';
import type { RollupNode, SimulatedRollup } from './simulated-rollup.ts';

/** A transaction that a user has sent. */
export interface Sent {
  readonly hash: string;
  readonly account: string;
  readonly nonce: number;
  /** Whether the rollup has acknowledged it: it has to be executed then. Otherwise it may be. */
  isAcknowledged: boolean;
}

export interface LoadOptions {
  readonly rollup: SimulatedRollup;
  readonly node: RollupNode;
  readonly chainId: string;
  readonly account: DevAccount;
  readonly chance: Chance;
  /** Longest pause between two transactions, in milliseconds. */
  readonly pauseMs: number;
  /** No further transaction is begun once it aborts. */
  readonly signal: AbortSignal;
}

/** Between two tries. */
const AGAIN_MS = 500;
/** Tries after the end of the load, of a transaction that an acknowledged one waits for. */
const LAST_TRIES = 200;
/** How often a transaction is sent before the one that has to be executed first, where nodes take that. */
const EARLY = 0.15;

/**
 * Sends one transaction of an account after the other, each until it was acknowledged or is known to be in a block: whoever gets no
 * answer sends the same bytes again.
 */
export async function sendTransactions(options: LoadOptions, sent: Sent[]): Promise<void> {
  const { account, chainId, rollup, chance, pauseMs, signal } = options;
  const pause = () => sleep(chance.integer(1, pauseMs), signal).catch(() => undefined);
  for (let nonce = 0; !signal.aborted; nonce += 1) {
    const make = (at: number): Uint8Array => rollup.transaction({ account, nonce: at, chainId, chance });
    const send = async (bytes: Uint8Array, at: number, lastTries = 0): Promise<boolean> => {
      const record = { hash: rollup.hashOf(bytes), account: account.name, nonce: at, isAcknowledged: false };
      sent.push(record);
      return sendOne(options, bytes, record, lastTries);
    };
    const bytes = make(nonce);
    const isSecondFirst = rollup.holdsLater && nonce > 0 && chance.happens(EARLY);
    if (!isSecondFirst) {
      if (!(await send(bytes, nonce))) return;
    } else {
      const isHeld = await send(make(nonce + 1), nonce + 1);
      await pause();
      // Whatever is acknowledged would wait for it for ever.
      await send(bytes, nonce, LAST_TRIES);
      if (!isHeld) return;
      nonce += 1;
    }
    await pause();
  }
}

/** @returns false where the run ended before anything was known. */
async function sendOne(
  { node, signal }: LoadOptions,
  bytes: Uint8Array,
  record: Sent,
  lastTries: number,
): Promise<boolean> {
  const until = lastTries > 0 ? new AbortController().signal : signal;
  for (let left = lastTries; !signal.aborted || left > 0; left -= signal.aborted ? 1 : 0) {
    const submitted = await node.submit(bytes, until);
    record.isAcknowledged = submitted === 'acknowledged';
    if (submitted !== 'again') return true;
    await sleep(AGAIN_MS, until).catch(() => undefined);
  }
  return false;
}
