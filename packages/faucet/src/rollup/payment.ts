import type { Contract } from '@switchyard/rollup/internal';
import { Input } from '@switchyard/service/input';
import { Unusable } from '../payer.ts';

/** Recipient, amount and asset as an action takes them, by the types of its fields. */
const VALUES: Readonly<Record<string, keyof Paid>> = {
  ...{ address: 'to', textAddress: 'to', asset: 'asset', textAsset: 'asset' },
  ...{ u64: 'amount', u128: 'amount' },
};

interface Paid {
  readonly to: string;
  readonly amount: bigint;
  readonly asset: string;
}

/**
 * Makes the action that pays: one with an address, an amount, and assets.
 *
 * @throws {Unusable} if the rollup has no such action.
 */
export function getPayment({ name, fields }: Pick<Contract, 'name' | 'fields'>, kind: string) {
  const found = Object.entries(fields.get(kind) ?? {});
  const values = found.map(([field, type]) => ({ field, type, value: VALUES[type.description.type] }));
  const others = values.filter(({ type, value }) => value === undefined && type.presence !== 'optional');
  const isOnce = (each: keyof Paid) => values.filter(({ value }) => value === each).length === 1;
  if (!isOnce('to') || !isOnce('amount') || others.length > 0) {
    const got = fields.has(kind) ? `fields ${found.map(([field]) => field).join(', ')}` : 'no such action';
    throw new Unusable(
      `rollup ${name}: action ${kind}: expected one address, one amount and assets, got ${got}; set SVC_FAUCET_ACTION to one of ${[...fields.keys()].join(', ')} that pays`,
    );
  }
  return (paid: Paid): { readonly kind: string } => ({
    ...Object.fromEntries(
      values.flatMap(({ field, type, value }) =>
        value === undefined ? [] : [[field, type.json(new Input(String(paid[value]), field))]],
      ),
    ),
    kind,
  });
}

/** The cost of a payment in the asset besides its amount, with 1,024 bytes and 64 steps, which is more than it has. */
export function toFee({ document: { fees } }: Pick<Contract, 'document'>, asset: string): bigint {
  if (fees?.asset !== asset) return 0n;
  return 1_024n * BigInt(fees.perByte ?? 0) + 64n * BigInt(fees.perStep ?? 0);
}
