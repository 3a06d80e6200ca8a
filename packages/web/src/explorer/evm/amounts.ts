import type { TokenName } from '@switchyard/explorer/contract';
import { ETHER } from '@switchyard/protocol/values';
import { formatCount, formatUnits, significant } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';

const GWEI = 9;
const ZERO = /^0x0{40}$/;

/** Whether it is the address that a contract names for none. */
export const isZero = (address: string): boolean => ZERO.test(address);

export const ether = (wei: string | null): string =>
  wei === null ? '–' : `${formatUnits(wei, ETHER.decimals)} ${ETHER.symbol}`;

/** Prices of gas are read in gwei, but on a quiet chain the base fee falls to a few wei. */
export function gasPrice(wei: string | null): string {
  if (wei === null || !/^\d+$/.test(wei)) return '–';
  const price = Number(wei);
  return price < 10 ** 6 ? `${formatCount(wei)} wei` : `${significant(price / 10 ** GWEI)} gwei`;
}

/** An amount of a token in whole units, or which item it is. */
export function tokenAmount(
  amount: string,
  { decimals }: Pick<TokenName, 'decimals'>,
  id: string | null = null,
): string {
  const units = formatUnits(amount, decimals !== null && decimals <= 77 ? decimals : 0);
  if (id === null) return units;
  return `${amount === '1' ? '' : `${units} of `}#${shown(id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)}`;
}
