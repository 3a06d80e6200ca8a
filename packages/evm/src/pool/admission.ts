import type { Address } from '@switchyard/evm-machine/types';
import type { JsonRpcError } from '@switchyard/service';
import { serverError } from '../json/errors.ts';
import type { PoolAccount, PoolBounds, SignedTransaction } from './deps.ts';
import type { Entries, Entry } from './entries.ts';

/** Decision about a transaction that is valid on its own. */
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

/** Percent by which a transaction must pay more than the replaced one; go-ethereum's default. */
const PRICE_BUMP = 10n;

/**
 * Sends transactions that can be executed next, holds those behind a missing nonce, refuses the rest. Order and words of the
 * checks are go-ethereum's, because libraries match on them.
 *
 * A transaction that was sent cannot be replaced: the first sequenced one counts, and it is ahead.
 *
 * @throws {JsonRpcError} -32000
 */
export function admission(tx: SignedTransaction, size: number, situation: Situation): Admission {
  const { entries, account } = situation;
  expectUnused(tx, account);
  const tooLow = feeCapTooLow(tx, situation.baseFee);
  if (tooLow !== undefined) throw tooLow;
  const next = entries.nextNonce(tx.from, account.nonce);
  const inTheWay = entries.at(tx.from, tx.nonce);
  const sends = tx.nonce === next;
  if (inTheWay?.state !== 'sent') expectFunds(tx, account, sends ? entries.getSentCost(tx.from) : 0n);
  if (inTheWay !== undefined) expectReplacement(tx, inTheWay);
  expectCertain(tx, next, situation);
  if (sends) expectRoom(size, situation);
  else expectRoomBehindGap(tx, size, inTheWay, next, situation);
  expectFreeAuthorities(tx, situation);
  return { kind: sends ? 'send' : 'hold', replaces: inTheWay };
}

function expectRoomBehindGap(
  tx: SignedTransaction,
  size: number,
  inTheWay: Entry | undefined,
  next: bigint,
  situation: Situation,
): void {
  // A replacement takes the place of the replaced one.
  const items = inTheWay === undefined ? 1 : 0;
  const noRoom = noRoomBehindGap(tx, { items, bytes: size - (inTheWay?.raw.length ?? 0) }, next, situation);
  if (noRoom !== undefined) throw noRoom;
}

/**
 * Admits a transaction that the composer or the sequencer has already, regardless of its sender, if its account can pay for it.
 * Its fee cap is left to the block. If it is next, a held transaction at its nonce yields to it, because it is ahead.
 *
 * @returns the held one whose place it takes.
 * @throws {JsonRpcError} -32000
 */
export function admissionOfFound(tx: SignedTransaction, size: number, situation: Situation): Entry | undefined {
  const { entries, account } = situation;
  expectUnused(tx, account);
  const inTheWay = entries.at(tx.from, tx.nonce);
  const isNext = tx.nonce === entries.nextNonce(tx.from, account.nonce);
  if (inTheWay !== undefined && !(isNext && inTheWay.state === 'held')) throw nonceTaken(tx, inTheWay);
  expectFunds(tx, account, isNext ? entries.getSentCost(tx.from) : 0n);
  expectRoom(size, situation);
  return inTheWay;
}

function expectUnused({ nonce }: SignedTransaction, account: PoolAccount): void {
  if (nonce < account.nonce) throw serverError(`nonce too low: next nonce ${account.nonce}, tx nonce ${nonce}`);
}

function expectFunds(tx: SignedTransaction, { balance }: PoolAccount, promised: bigint): void {
  const lacking = lackingFunds(tx, balance, promised);
  if (lacking !== undefined) throw lacking;
}

/** Only the spending of its account itself is certain to be there when its block comes. */
function expectCertain({ from, nonce }: SignedTransaction, next: bigint, { account, entries }: Situation): void {
  if (account.hasCode) throw serverError(`sender not an eoa: ${from} has code of its own`);
  if (!isShared(from, account, entries)) return;
  const busy = inFlightLimit(from, account, entries);
  if (busy !== undefined) throw busy;
  if (nonce !== next)
    throw serverError(`gapped-nonce tx from delegated accounts: next nonce of ${from} is ${next}, tx nonce ${nonce}`);
}

/** Others may spend the funds of such an account (EIP-7702). */
function isShared(address: Address, { isDelegated }: PoolAccount, entries: Entries): boolean {
  return isDelegated || entries.isAuthority(address);
}

/** One at a time: after it, nothing may be left to pay for another. */
export function inFlightLimit(address: Address, account: PoolAccount, entries: Entries): JsonRpcError | undefined {
  if (!isShared(address, account, entries) || entries.getSent(address) === 0) return undefined;
  return serverError(
    `in-flight transaction limit reached for delegated accounts: a transaction of ${address} waits for its block; send the next one after that`,
  );
}

/** Waiting transactions of an account that a block delegates may never be paid for. */
function expectFreeAuthorities({ authorities }: SignedTransaction, { entries }: Situation): void {
  for (const address of authorities()) {
    const count = entries.computeCount(address);
    if (count > 1)
      throw serverError(`authority already reserved: ${count} transactions of ${address} wait for a block`);
  }
}

/** Transactions that a block refuses for now move from the sent ones to the held ones, so the sum is bounded too. */
function expectRoom(size: number, { entries, bounds }: Situation): void {
  const { sentCount, heldCount, sentBytes, heldBytes } = entries;
  const isFull =
    sentCount >= bounds.maxSent ||
    sentCount + heldCount >= bounds.maxSent + bounds.maxHeld ||
    sentBytes + size > bounds.maxSentBytes ||
    sentBytes + heldBytes + size > bounds.maxSentBytes + bounds.maxHeldBytes;
  if (isFull) throw serverError('txpool is full: too many transactions wait for a block; send it again later');
}

/** @param more What it adds to that which is held. */
export function noRoomBehindGap(
  { from, nonce }: SignedTransaction,
  more: { readonly items: number; readonly bytes: number },
  next: bigint,
  { entries, bounds }: Situation,
): JsonRpcError | undefined {
  if (entries.getHeld(from) + more.items > bounds.maxHeldOfSender)
    return serverError(
      `account limit exceeded: ${bounds.maxHeldOfSender} transactions of ${from} wait for nonce ${next}; send that one first`,
    );
  if (entries.heldCount + more.items > bounds.maxHeld || entries.heldBytes + more.bytes > bounds.maxHeldBytes)
    return serverError(
      `txpool is full: nonce ${nonce} waits for nonce ${next}, and no more can be held; send that one first`,
    );
  return undefined;
}

/** Wei that a transaction takes at most. */
export function computeCost({ gasLimit, maxFeePerGas, value }: SignedTransaction): bigint {
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
  const cost = computeCost(tx);
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
  throw nonceTaken(tx, old);
}

function nonceTaken({ nonce }: SignedTransaction, { hash }: Entry): JsonRpcError {
  return serverError(
    `nonce ${nonce} is taken: ${hash} is already on its way to the sequencer and cannot be replaced; use nonce ${nonce + 1n} or a later one`,
  );
}
