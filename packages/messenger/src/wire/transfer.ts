import { type Address, type Denom, formatAddress, parseAnyAddress, u128ToWire } from '@switchyard/protocol';
import type { ActionCodec } from './codec.ts';
import { absent, denom, readAddress, readAmount } from './fields.ts';

/** Moves an amount of an asset to another account. */
export interface Transfer {
  readonly kind: 'transfer';
  readonly to: Address;
  readonly amount: bigint;
  readonly asset: Denom;
  /** Must name an asset, and has no effect: transfers are free. */
  readonly feeAsset: Denom;
}

export interface TransferFields {
  readonly to: string | undefined;
  readonly amount: bigint;
  readonly asset: string;
  readonly feeAsset: string;
}

export const transfer: ActionCodec<Transfer, TransferFields> = {
  field: 1,
  name: 'Transfer',
  none: { to: undefined, amount: 0n, asset: '', feeAsset: '' },

  read(message, before) {
    let { to, amount, asset, feeAsset } = before;
    while (message.next()) {
      if (message.field === 1) to = readAddress(message.message('Address'), to);
      else if (message.field === 2) amount = readAmount(message.message('Uint128'), amount);
      else if (message.field === 3) asset = message.string();
      else if (message.field === 4) feeAsset = message.string();
      else message.skip();
    }
    return { to, amount, asset, feeAsset };
  },

  parse({ to, amount, asset, feeAsset }) {
    if (to === undefined) throw absent('to');
    return { kind: 'transfer', to: parseAnyAddress(to), amount, asset: denom(asset), feeAsset: denom(feeAsset) };
  },

  write(message, { to, amount, asset, feeAsset }) {
    const { lo, hi } = u128ToWire(amount);
    message
      .message(1, (address) => address.string(2, formatAddress(to.account, to.prefix)))
      .message(2, (number) => number.uint64(1, lo).uint64(2, hi))
      .string(3, asset.text)
      .string(4, feeAsset.text);
  },
};
