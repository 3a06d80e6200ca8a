import type { JsonRpcError } from '@switchyard/service';
import { serverError } from '../rpc/errors.ts';
import type { PoolAccount, PoolBounds, SignedTransaction } from './deps.ts';
import type { Entries, Entry } from './entries.ts';

/** What becomes of a transaction that is good in itself. */
export type Admission =
  | { readonly kind: 'send'; readonly replaces: Entry | undefined }
  | { readonly kind: 'hold'; readonly replaces: Entry | undefined };

export interface Situation {
  readonly entries: Entries;
  readonly account: PoolAccount;
  /** Wei for each unit of gas, of the next block. */
  readonly baseFee: bigint;
  readonly bounds: PoolBounds;
}

/** Percent by which a transaction must pay more than the one that it replaces; go-ethereum's default. */
const PRICE_BUMP = 10n;

/**
 * Sends what can be executed next, holds what a missing nonce is in front of, refuses the rest. Order and words of the
 * checks are go-ethereum's, because libraries match on them.
 *
 * What was sent cannot be replaced: the first one that is sequenced counts, and it is ahead.
 *
 * @throws {JsonRpcError} -32000
 */
export function admission(tx: SignedTransaction, size: number, situation: Situation): Admission {
  const { entries, account, bounds } = situation;
  if (tx.nonce < account.nonce) throw serverError(`nonce too low: next nonce ${account.nonce}, tx nonce ${tx.nonce}`);
  const tooLow = feeCapTooLow(tx, situation.baseFee);
  if (tooLow !== undefined) throw tooLow;
  const next = entries.nextNonce(tx.from, account.nonce);
  const inTheWay = entries.at(tx.from, tx.nonce);
  const sends = tx.nonce === next;
  if (inTheWay?.state !== 'sent') {
    const lacking = lackingFunds(tx, account.balance, sends ? entries.sentCostOf(tx.from) : 0n);
    if (lacking !== undefined) throw lacking;
  }
  if (inTheWay !== undefined) expectReplacement(tx, inTheWay);
  if (sends) {
    const full = entries.sentCount >= bounds.maxSent || entries.sentBytes + size > bounds.maxSentBytes;
    if (full) throw serverError('txpool is full: too many transactions wait for a block; send it again later');
    return { kind: 'send', replaces: inTheWay };
  }
  // One that replaces another takes its place.
  const held = inTheWay === undefined ? 1 : 0;
  if (entries.heldOf(tx.from) + held > bounds.maxHeldOfSender) {
    throw serverError(
      `account limit exceeded: ${bounds.maxHeldOfSender} transactions of ${tx.from} wait for nonce ${next}; send that one first`,
    );
  }
  const bytes = size - (inTheWay?.raw.length ?? 0);
  if (entries.heldCount + held > bounds.maxHeld || entries.heldBytes + bytes > bounds.maxHeldBytes) {
    throw serverError(
      `txpool is full: nonce ${tx.nonce} waits for nonce ${next}, and no more can be held; send that one first`,
    );
  }
  return { kind: 'hold', replaces: inTheWay };
}

/** Wei that a transaction takes at most. */
export function costOf({ gasLimit, maxFeePerGas, value }: SignedTransaction): bigint {
  return gasLimit * maxFeePerGas + value;
}

/** It would be refused by the next block, and the sequencer paid for nothing. */
export function feeCapTooLow(tx: SignedTransaction, baseFee: bigint): JsonRpcError | undefined {
  if (tx.maxFeePerGas >= baseFee) return undefined;
  return serverError(
    `max fee per gas less than block base fee: address ${tx.from}, maxFeePerGas: ${tx.maxFeePerGas}, baseFee: ${baseFee}`,
  );
}

/** @param promised Wei that the sender's transactions before it take at most. */
export function lackingFunds(tx: SignedTransaction, balance: bigint, promised: bigint): JsonRpcError | undefined {
  const cost = costOf(tx);
  const missing = cost + promised - balance;
  if (missing <= 0n) return undefined;
  const queued = cost <= balance ? `, queued cost ${promised}` : '';
  const overshot = cost <= balance ? missing : cost - balance;
  return serverError(
    `insufficient funds for gas * price + value: balance ${balance}${queued}, tx cost ${cost}, overshot ${overshot}`,
  );
}

function expectReplacement(tx: SignedTransaction, old: Entry): void {
  const enough = (mine: bigint, others: bigint) => mine * 100n >= others * (100n + PRICE_BUMP) && mine > others;
  const pays =
    enough(tx.maxFeePerGas, old.tx.maxFeePerGas) && enough(tx.maxPriorityFeePerGas, old.tx.maxPriorityFeePerGas);
  if (!pays) throw serverError('replacement transaction underpriced');
  if (old.state === 'held' && old.progress.kind !== 'unclear') return;
  throw serverError(
    `nonce ${tx.nonce} is taken: ${old.hash} is already on its way to the sequencer and cannot be replaced; use nonce ${tx.nonce + 1n} or a later one`,
  );
}
