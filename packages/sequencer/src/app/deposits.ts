import type { AccountId } from '@switchyard/protocol';
import type { Context } from './actions/handler.ts';
import { bridgeOf } from './tables/bridge.ts';
import { chainPrefix } from './tables/chain.ts';

interface NewDeposit {
  readonly bridge: AccountId;
  /** The full name, since an id would mean nothing to a rollup. */
  readonly asset: string;
  readonly amount: bigint;
  /** Text as the depositor wrote it; only the rollup knows what it means. */
  readonly destination: string;
}

/** Announces a deposit to the bridge's rollup. Transaction and action position identify it. */
export function announceDeposit({ bridge, asset, amount, destination }: NewDeposit, context: Context): void {
  const { state, tx, index, emit } = context;
  emit({
    kind: 'deposit',
    deposit: {
      bridge: { account: bridge, prefix: chainPrefix(state) },
      rollup: bridgeOf(state, bridge).rollup,
      amount,
      asset,
      destination,
      sourceTransaction: tx,
      sourceAction: BigInt(index),
    },
  });
}
