import { type RollupClient, RollupRefused } from '@switchyard/client';
import { txHashOf } from '@switchyard/protocol';
import { isTransportFailure, sleep, TimedOut } from '@switchyard/service';
import type { DevAccount } from '../accounts/accounts.ts';
import type { Chance } from './chance.ts';

/** Facts from which a transaction is made. */
export interface TransactionFacts {
  readonly account: DevAccount;
  /** Next nonce of the account: it counts the transactions of this run. */
  readonly nonce: number;
  /** Chain id of the rollup. */
  readonly chainId: string;
  readonly chance: Chance;
}

/** Signed transactions for a rollup. */
export type MakeTransaction = (facts: TransactionFacts) => Uint8Array;

/** A transaction that a user has sent. */
export interface Sent {
  readonly hash: string;
  readonly account: string;
  readonly nonce: number;
  /** Whether the rollup has acknowledged it: it has to be executed then. Otherwise it may be. */
  isAcknowledged: boolean;
}

export interface LoadOptions {
  readonly client: RollupClient;
  readonly chainId: string;
  readonly account: DevAccount;
  readonly make: MakeTransaction;
  readonly chance: Chance;
  /** Longest pause between two transactions, in milliseconds. */
  readonly pauseMs: number;
  /** No further transaction is begun once it aborts. */
  readonly signal: AbortSignal;
}

/** Between two tries. */
const AGAIN_MS = 500;

/**
 * Sends one transaction of an account after the other, each until it was acknowledged or is known to be in a block: whoever gets no
 * answer sends the same bytes again.
 */
export async function sendTransactions(options: LoadOptions, sent: Sent[]): Promise<void> {
  const { account, chainId, make, chance, pauseMs, signal } = options;
  for (let nonce = 0; !signal.aborted; nonce += 1) {
    const bytes = make({ account, nonce, chainId, chance });
    const record: Sent = { hash: txHashOf(bytes), account: account.name, nonce, isAcknowledged: false };
    sent.push(record);
    if (!(await sendOne(options, bytes, record))) return;
    await sleep(chance.integer(1, pauseMs), signal).catch(() => undefined);
  }
}

/** @returns false where the run ended before anything was known. */
async function sendOne({ client, signal }: LoadOptions, bytes: Uint8Array, record: Sent): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await client.submit(bytes, signal);
      record.isAcknowledged = true;
      return true;
    } catch (error) {
      if (!(error instanceof RollupRefused || isUnanswered(error) || signal.aborted)) throw error;
      // The nonce is used up where an earlier try has arrived, of which no answer came.
      if (error instanceof RollupRefused && (await isInBlock(client, record.hash, signal))) return true;
    }
    await sleep(AGAIN_MS, signal).catch(() => undefined);
  }
  return false;
}

const isUnanswered = (error: unknown): boolean => isTransportFailure(error) || error instanceof TimedOut;

async function isInBlock(client: RollupClient, hash: string, signal: AbortSignal): Promise<boolean> {
  const outcome = await client.transaction(hash, signal).catch(() => undefined);
  return outcome !== undefined && ['executed', 'firm', 'refused'].includes(outcome.state);
}
