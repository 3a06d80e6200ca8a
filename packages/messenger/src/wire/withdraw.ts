import { type Address, type Denom, formatAddress, parseAnyAddress, u128ToWire } from '@switchyard/protocol';
import type { ActionCodec } from './codec.ts';
import { absent, denom, readAddress, readAmount } from './fields.ts';

/** Moves an amount of a bridged asset back to an account of the sequencer. */
export interface Withdraw {
  readonly kind: 'withdraw';
  /** Account on the sequencer. */
  readonly to: Address;
  readonly amount: bigint;
  readonly asset: Denom;
  /** At most 64 bytes of UTF-8, for the receiver. */
  readonly memo: string;
}

export interface WithdrawFields {
  readonly to: string | undefined;
  readonly amount: bigint;
  readonly asset: string;
  readonly memo: string;
}

export const withdraw: ActionCodec<Withdraw, WithdrawFields> = {
  field: 3,
  name: 'Withdraw',
  none: { to: undefined, amount: 0n, asset: '', memo: '' },

  read(message, before) {
    let { to, amount, asset, memo } = before;
    while (message.next()) {
      if (message.field === 1) to = readAddress(message.message('Address'), to);
      else if (message.field === 2) amount = readAmount(message.message('Uint128'), amount);
      else if (message.field === 3) asset = message.string();
      else if (message.field === 4) memo = message.string();
      else message.skip();
    }
    return { to, amount, asset, memo };
  },

  parse({ to, amount, asset, memo }) {
    if (to === undefined) throw absent('to');
    return { kind: 'withdraw', to: parseAnyAddress(to), amount, asset: denom(asset), memo };
  },

  write(message, { to, amount, asset, memo }) {
    const { lo, hi } = u128ToWire(amount);
    message
      .message(1, (address) => address.string(2, formatAddress(to.account, to.prefix)))
      .message(2, (number) => number.uint64(1, lo).uint64(2, hi))
      .string(3, asset.text)
      .string(4, memo);
  },
};
