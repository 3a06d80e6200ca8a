import { debit, type StateReader } from '@switchyard/machine';
import { type Action, type ActionKind, type AssetId, type Denom, saturateU128 } from '@switchyard/protocol';
import type { Charge } from '../mempool/entry.ts';
import type { CheckContext, Context } from './actions/handler.ts';
import { handlerFor } from './actions/registry.ts';
import { type FeeComponents, getComponents, mustBeAllowed } from './tables/fees.ts';

export interface Fee {
  readonly asset: Denom;
  readonly amount: bigint;
}

/**
 * The components found last, with their use. Bundles hold the same action hundreds of times in a row; who keeps a
 * memo clears it when fees change.
 */
export interface FeeMemo {
  last: { readonly kind: ActionKind; readonly asset: AssetId; readonly components: FeeComponents } | undefined;
}

/**
 * `base + multiplier * feeUnits`, at most 2^128 - 1. Actions without a fee asset pay nothing, and are
 * disabled like others while they have no components.
 *
 * @throws {Rejected} `action-disabled` or `fee-asset-not-allowed`.
 */
export function findFee(state: StateReader, action: Action, memo?: FeeMemo): Fee | undefined {
  if (!('feeAsset' in action)) {
    getComponents(state, action.kind);
    return undefined;
  }
  const { kind, feeAsset: asset } = action;
  let known = memo?.last;
  if (known === undefined || known.kind !== kind || known.asset !== asset.id) {
    known = { kind, asset: asset.id, components: getComponents(state, kind) };
    mustBeAllowed(state, asset);
    if (memo !== undefined) memo.last = known;
  }
  const { base, multiplier } = known.components;
  return { asset, amount: saturateU128(base + multiplier * handlerFor(action).feeUnits(action)) };
}

/**
 * Takes the fee of each action from the signer, before the action is executed. It is credited at the end of the block.
 *
 * Submissions neither read nor change a balance, so for those in a row the sum is taken in one step.
 */
export function feePayer(actions: readonly Action[], memo?: FeeMemo): (action: Action, context: Context) => void {
  let owed = 0n;
  return (action, { state, signer, index, emit }) => {
    const fee = findFee(state, action, memo);
    if (fee === undefined) return;
    owed += fee.amount;
    const next = actions[index + 1];
    const isDeferred =
      action.kind === 'rollupDataSubmission' &&
      next?.kind === 'rollupDataSubmission' &&
      next.feeAsset.id === fee.asset.id;
    if (!isDeferred) {
      debit(state, signer, fee.asset.id, owed);
      owed = 0n;
    }
    emit({ kind: 'fee', action: action.kind, asset: fee.asset.id, amount: fee.amount, position: index });
  };
}

/** Fees of a body by asset, in the order in which the assets first appear. */
export function totalFees(state: StateReader, actions: readonly Action[], memo: FeeMemo = { last: undefined }) {
  const totals = new Map<AssetId, bigint>();
  for (const action of actions) {
    const fee = findFee(state, action, memo);
    if (fee !== undefined) totals.set(fee.asset.id, saturateU128((totals.get(fee.asset.id) ?? 0n) + fee.amount));
  }
  return totals;
}

/**
 * Everything a transaction will take, one charge for each account and asset: fees from the signer, and amounts from the account that
 * really pays them.
 *
 * @throws {Rejected} as {@link feeOf}, and if the paying account is no bridge account.
 */
export function getCharges(actions: readonly Action[], context: CheckContext, memo?: FeeMemo): readonly Charge[] {
  const charges = new Map<string, Charge>();
  const add = ({ account, asset, amount }: Charge): void => {
    const key = `${account}/${asset}`;
    charges.set(key, { account, asset, amount: (charges.get(key)?.amount ?? 0n) + amount });
  };
  for (const [asset, amount] of totalFees(context.state, actions, memo))
    add({ account: context.signer, asset, amount });
  for (const action of actions) {
    for (const charge of handlerFor(action).charges(action, context)) add(charge);
  }
  return [...charges.values()];
}
