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
  /** Another one of the same account and nonce: one of the two is executed. */
  rival?: Sent;
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
/** How often a transaction is sent before the one that has to be executed first, where nodes take that, and is cancelled then. */
const EARLY = 0.15;
const CANCELLED = 0.3;

/**
 * Sends one transaction of an account after the other, each until it was acknowledged or is known to be in a block: whoever gets no
 * answer sends the same bytes again.
 */
export async function sendTransactions(options: LoadOptions, sent: Sent[]): Promise<void> {
  const { rollup, chance, signal } = options;
  for (let nonce = 0; !signal.aborted; ) {
    const isEarly = rollup.holdsLater && nonce > 0 && chance.happens(EARLY);
    const send = isEarly ? sendSecondFirst : sendNext;
    const count = await send(options, nonce, sent);
    if (count === 0) return;
    nonce += count;
    await pause(options);
  }
}

/** @returns how many nonces are used up; 0 where the run ended before that was known. */
async function sendNext(options: LoadOptions, nonce: number, sent: Sent[]): Promise<number> {
  const { bytes, record } = made(options, nonce, sent);
  return (await sendOne(options, bytes, record)) ? 1 : 0;
}

/** The one after the next one is sent first, and may be cancelled while it waits. @returns Like `sendNext`. */
async function sendSecondFirst(options: LoadOptions, nonce: number, sent: Sent[]): Promise<number> {
  const { node, account, chance, rollup } = options;
  const second = made(options, nonce + 1, sent);
  const isHeld = await sendOne(options, second.bytes, second.record);
  await pause(options);
  if (isHeld && chance.happens(CANCELLED)) {
    const bytes = await node.cancellation?.(second.record.hash, account).catch(() => undefined);
    if (bytes !== undefined) {
      const record: Sent = {
        ...second.record,
        hash: rollup.hashOf(bytes),
        isAcknowledged: false,
        rival: second.record,
      };
      second.record.rival = record;
      sent.push(record);
      await sendOne(options, bytes, record);
      await pause(options);
    }
  }
  // Whatever is acknowledged would wait for it for ever.
  const first = made(options, nonce, sent);
  await sendOne(options, first.bytes, first.record, LAST_TRIES);
  return isHeld ? 2 : 0;
}

const pause = ({ chance, pauseMs, signal }: LoadOptions): Promise<void> =>
  sleep(chance.integer(1, pauseMs), signal).catch(() => undefined);

function made({ rollup, account, chainId, chance }: LoadOptions, nonce: number, sent: Sent[]) {
  const bytes = rollup.transaction({ account, nonce, chainId, chance });
  const record: Sent = { hash: rollup.hashOf(bytes), account: account.name, nonce, isAcknowledged: false };
  sent.push(record);
  return { bytes, record };
}

/** @returns false where the run ended before anything was known. */
async function sendOne(
  { node, signal }: LoadOptions,
  bytes: Uint8Array,
  record: Sent,
  lastTries = 0,
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
