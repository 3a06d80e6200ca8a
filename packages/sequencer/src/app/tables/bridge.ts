import {
  accountId,
  assetId,
  bool,
  pair,
  rollupId,
  type StateReader,
  type StateWriter,
  struct,
  table,
  text,
  txHash,
  u64,
  type ValueOf,
} from '@switchyard/machine';
import { type AccountId, Rejected, sha256, toHex } from '@switchyard/protocol';

const bridgeAccount = struct({
  rollup: rollupId,
  asset: assetId,
  sudo: accountId,
  withdrawer: accountId,
  depositsDisabled: bool,
});

export type BridgeAccount = ValueOf<typeof bridgeAccount>;

/** Accounts that hold deposits for a rollup. A row never goes away, and its rollup and asset never change. */
export const bridges = table({ prefix: 'bridge/account/', key: accountId, value: bridgeAccount });

/**
 * Withdrawal events that a bridge account has paid out, with the rollup block each is from. Kept for ever: it is what
 * makes a withdrawal happen once. The event is keyed by its hash, because its text is the rollup's own and up to 256 bytes.
 */
const withdrawals = table({ prefix: 'bridge/withdrawal/', key: pair(accountId, text), value: u64 });

/** The last transaction that each bridge account signed while it was one. For queries, so outside the root. */
export const lastTransactions = table({ prefix: 'index/bridge/last-transaction/', key: accountId, value: txHash });

/** @throws {Rejected} `not-a-bridge`. */
export function bridgeOf(state: StateReader, account: AccountId): BridgeAccount {
  const bridge = bridges.get(state, account);
  if (bridge === undefined) throw new Rejected('not-a-bridge', { account });
  return bridge;
}

/** @throws {Rejected} `is-a-bridge`. */
export function mustNotBeBridge(state: StateReader, account: AccountId): void {
  if (bridges.has(state, account)) throw new Rejected('is-a-bridge', { account });
}

/** The rollup block that the payment of an event named; undefined if the event is not paid. */
export function withdrawalBlock(state: StateReader, bridge: AccountId, event: string): bigint | undefined {
  return withdrawals.get(state, [bridge, eventKey(event)]);
}

/** @throws {Rejected} `event-already-used`. */
export function mustBeUnused(state: StateReader, bridge: AccountId, event: string): void {
  const block = withdrawalBlock(state, bridge, event);
  if (block !== undefined) throw new Rejected('event-already-used', { bridge, event, rollupBlock: block });
}

export function recordWithdrawal(state: StateWriter, bridge: AccountId, event: string, rollupBlock: bigint): void {
  withdrawals.put(state, [bridge, eventKey(event)], rollupBlock);
}

function eventKey(event: string): string {
  return toHex(sha256(new TextEncoder().encode(event)));
}
