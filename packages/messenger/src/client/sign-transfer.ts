import { parseAnyAddress, type Signer } from '@switchyard/protocol';
import { denom } from '../wire/fields.ts';
import { signActions, type TransactionParameters } from './sign.ts';

export interface TransferParameters extends TransactionParameters {
  /** Bech32m. */
  readonly to: string;
  readonly amount: bigint;
  readonly asset: string;
  readonly feeAsset: string;
}

/**
 * A signed transaction that moves an amount.
 *
 * @throws {Rejected} for what every node refuses, whatever its state.
 */
export function signTransfer(transfer: TransferParameters, signer: Signer): Uint8Array {
  const { to, amount, asset, feeAsset, ...parameters } = transfer;
  const action = { to: parseAnyAddress(to), amount, asset: denom(asset), feeAsset: denom(feeAsset) };
  return signActions([{ kind: 'transfer', ...action }], parameters, signer);
}
