import { InvalidAmount, parseAnyAddress, Rejected } from '@switchyard/protocol';
import { formatCoins, parseCoins } from '../ui/coins.ts';

/** Text on the fault of a typed address; undefined if it is incomplete, or right. */
export function addressProblem(to: string): string | undefined {
  if (to.trim() === '') return undefined;
  try {
    parseAnyAddress(to.trim());
    return undefined;
  } catch (error) {
    if (error instanceof Rejected) return 'the address is not complete, or has a typing error';
    throw error;
  }
}

/** Text on the fault of a typed amount; undefined if it is incomplete, or right. @param least The least that may be sent. */
export function amountProblem(typed: string, held: bigint, asset: string, least = 0n): string | undefined {
  if (typed.trim() === '') return undefined;
  try {
    const amount = parseCoins(typed, asset);
    if (amount < least) return `the smallest withdrawal is ${formatCoins(least, asset)}`;
    return amount > held
      ? `${formatCoins(amount, asset)} is more than this account holds: ${formatCoins(held, asset)}`
      : undefined;
  } catch (error) {
    if (error instanceof InvalidAmount) return `amount: ${error.message}`;
    throw error;
  }
}

/** The recipient and amount that were typed, if both can be used. */
export function readPayment(
  to: string,
  typed: string,
  held: bigint,
  asset: string,
  least = 0n,
): { readonly to: string; readonly amount: bigint } | undefined {
  const isComplete = to.trim() !== '' && typed.trim() !== '';
  if (!isComplete || addressProblem(to) !== undefined || amountProblem(typed, held, asset, least) !== undefined)
    return undefined;
  return { to: to.trim(), amount: parseCoins(typed, asset) };
}
