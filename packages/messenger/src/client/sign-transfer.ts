import { parseAnyAddress, type Signer } from '@switchyard/protocol';
import { denom } from '../wire/fields.ts';
import type { ActionOf } from '../wire/registry.ts';
import { signActions, type TransactionParameters } from './sign.ts';

export interface TransferFields {
  /** Bech32m. */
  readonly to: string;
  readonly amount: bigint;
  readonly asset: string;
  readonly feeAsset: string;
}

export interface TransferParameters extends TransactionParameters, TransferFields {}

/** @throws {Rejected} for what every node refuses, whatever its state. */
export function transferAction({ to, amount, asset, feeAsset }: TransferFields): ActionOf<'transfer'> {
  return { kind: 'transfer', to: parseAnyAddress(to), amount, asset: denom(asset), feeAsset: denom(feeAsset) };
}

/**
 * A signed transaction that moves an amount.
 *
 * @throws {Rejected} for what every node refuses, whatever its state.
 */
export function signTransfer(parameters: TransferParameters, signer: Signer): Uint8Array {
  return signActions([transferAction(parameters)], parameters, signer);
}
