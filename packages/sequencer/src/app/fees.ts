import { debit, type StateReader } from '@switchyard/machine';
import { type Action, type AssetId, type Denom, saturateU128 } from '@switchyard/protocol';
import type { Charge } from '../mempool/entry.ts';
import type { Context, Standing } from './actions/handler.ts';
import { handlerFor } from './actions/registry.ts';
import { componentsOf, type FeeComponents, mustBeAllowed } from './tables/fees.ts';

/** Part of what a lock costs besides the texts it carries: the wire counts the rest of a deposit as this many bytes. */
const DEPOSIT_BASE_BYTES = 16;

export interface Fee {
  readonly asset: Denom;
  readonly amount: bigint;
}

/**
 * Components of actions that were found payable in an asset. Bundles hold the same action hundreds of times; who keeps a memo
 * empties it when fees change.
 */
export type FeeMemo = Map<string, FeeComponents>;

/**
 * `base + multiplier * variable`, at most 2^128 - 1. Actions without a fee asset pay nothing, and are
 * disabled like others while they have no components.
 *
 * @throws {Rejected} `action-disabled` or `fee-asset-not-allowed`.
 */
export function feeOf(state: StateReader, action: Action, memo: FeeMemo = new Map()): Fee | undefined {
  if (!('feeAsset' in action)) {
    componentsOf(state, action.kind);
    return undefined;
  }
  const key = `${action.kind}/${action.feeAsset.id}`;
  let components = memo.get(key);
  if (components === undefined) {
    components = componentsOf(state, action.kind);
    mustBeAllowed(state, action.feeAsset);
    memo.set(key, components);
  }
  const { base, multiplier } = components;
  return { asset: action.feeAsset, amount: saturateU128(base + multiplier * variableOf(action)) };
}

function variableOf(action: Action): bigint {
  switch (action.kind) {
    case 'rollupDataSubmission':
      return BigInt(action.data.length);
    case 'bridgeLock':
      return BigInt(action.asset.text.length + Buffer.byteLength(action.destination) + DEPOSIT_BASE_BYTES);
    default:
      return 0n;
  }
}

/** Takes the fee of an action from the signer, before the action is executed. It is credited at the end of the block. */
export function payFee(action: Action, { state, signer, index, emit }: Context, memo?: FeeMemo): void {
  const fee = feeOf(state, action, memo);
  if (fee === undefined) return;
  debit(state, signer, fee.asset.id, fee.amount);
  emit({ kind: 'fee', action: action.kind, asset: fee.asset.id, amount: fee.amount, position: index });
}

/** Fees of a body by asset, in the order in which the assets first appear. */
export function totalFees(state: StateReader, actions: readonly Action[]): ReadonlyMap<AssetId, bigint> {
  const totals = new Map<AssetId, bigint>();
  const memo: FeeMemo = new Map();
  for (const action of actions) {
    const fee = feeOf(state, action, memo);
    if (fee !== undefined) totals.set(fee.asset.id, saturateU128((totals.get(fee.asset.id) ?? 0n) + fee.amount));
  }
  return totals;
}

/**
 * Everything a transaction will take, one charge for each account and asset: fees from the signer, and amounts from whoever
 * really pays them.
 *
 * @throws {Rejected} as {@link feeOf}, and where the bridge account that would pay is none.
 */
export function chargesOf(actions: readonly Action[], standing: Standing): readonly Charge[] {
  const charges = new Map<string, Charge>();
  const add = ({ account, asset, amount }: Charge): void => {
    const key = `${account}/${asset}`;
    charges.set(key, { account, asset, amount: (charges.get(key)?.amount ?? 0n) + amount });
  };
  const memo: FeeMemo = new Map();
  for (const action of actions) {
    const fee = feeOf(standing.state, action, memo);
    if (fee !== undefined) add({ account: standing.signer, asset: fee.asset.id, amount: fee.amount });
    for (const charge of handlerFor(action).charges(action, standing)) add(charge);
  }
  return [...charges.values()];
}
