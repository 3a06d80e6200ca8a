import { parseAnyAddress, type Signer } from '@switchyard/protocol';
import { denom } from '../wire/fields.ts';
import type { ActionOf } from '../wire/registry.ts';
import { signActions, type TransactionParameters } from './sign.ts';

export interface WithdrawFields {
  /** Account on the sequencer, bech32m. */
  readonly to: string;
  /** In the smallest unit of the asset. */
  readonly amount: bigint;
  /** A bridged asset that the genesis of the rollup lets out. */
  readonly asset: string;
  /** At most 64 bytes of UTF-8. */
  readonly memo?: string;
}

export interface WithdrawParameters extends TransactionParameters, WithdrawFields {}

/** @throws {Rejected} for what every node refuses, whatever its state. */
export function withdrawAction({ to, amount, asset, memo = '' }: WithdrawFields): ActionOf<'withdraw'> {
  return { kind: 'withdraw', to: parseAnyAddress(to), amount, asset: denom(asset), memo };
}

/**
 * A signed transaction that withdraws an amount to the sequencer.
 *
 * @throws {Rejected} for what every node refuses, whatever its state.
 */
export function signWithdraw(parameters: WithdrawParameters, signer: Signer): Uint8Array {
  return signActions([withdrawAction(parameters)], parameters, signer);
}
