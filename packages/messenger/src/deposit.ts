import { credit, type StateWriter } from '@switchyard/machine';
import { type AccountId, type Deposit, parseAddress, parseDenom } from '@switchyard/protocol';
import { rememberName } from './tables/asset-names.ts';

/**
 * Credits a deposit under the asset that the sequencer names.
 *
 * @throws {Rejected} where the destination is no address, of any prefix, or the balance would overflow.
 */
export function creditDeposit({ destination, asset, amount }: Deposit, state: StateWriter): AccountId {
  const account = parseAddress(destination);
  const denom = parseDenom(asset);
  credit(state, account, denom.id, amount);
  rememberName(state, denom);
  return account;
}
