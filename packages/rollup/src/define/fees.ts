import { parseAddress, parseDenom } from '@switchyard/protocol';
import type { FeeRule } from '../app/fees.ts';
import { inPlace } from '../schema/type.ts';

/** Fees of transactions, in the smallest unit of the asset. At least one amount is above 0. */
export interface Fees {
  /** Name of the asset, such as `nria`. */
  readonly asset: string;
  /** For each byte of a signed transaction. */
  readonly perByte: bigint;
  /** For each row that its actions read, write or delete, each time. */
  readonly perStep: bigint;
  /** Address of the account that gets them; they are destroyed, if undefined. */
  readonly to?: string;
}

export const MOST_FEE = 0xffff_ffff_ffff_ffffn;

/** Fees as JSON. @throws {Error} naming the member that cannot be. */
export function describeFees({ asset, perByte, perStep, to }: Fees): Readonly<Record<string, string>> {
  inPlace('asset', () => parseDenom(asset));
  if (to !== undefined) inPlace('to', () => parseAddress(to));
  for (const [name, amount] of Object.entries({ perByte, perStep })) {
    if (typeof amount !== 'bigint' || amount < 0n || amount > MOST_FEE)
      throw new Error(`${name}: expected a bigint from 0 to 2^64 - 1, got ${String(amount)}`);
  }
  if (perByte + perStep === 0n) throw new Error('perByte, perStep: expected at least one above 0');
  return { asset, perByte: String(perByte), perStep: String(perStep), ...(to !== undefined && { to }) };
}

export function toFeeRule({ asset, perByte, perStep, to }: Fees): FeeRule {
  return { asset: parseDenom(asset).id, perByte, perStep, ...(to !== undefined && { to: parseAddress(to) }) };
}
