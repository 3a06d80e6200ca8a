import { type AccountId, formatAddress, toHex } from '@switchyard/protocol';
import { rfc3339 } from '@switchyard/rollup/node';
import type { Text } from '../tables.ts';

/** A text as HTTP shows it. `sender` is the name that was chosen; `address` is who signed. */
export function textJson({ id, name, text, sender, block, time, transaction }: Text) {
  return {
    id,
    sender: name,
    message: text,
    address: block === 0n ? null : getAddress(sender),
    block,
    time: rfc3339(time),
    hash: block === 0n ? null : toHex(transaction),
  };
}

/** Most texts come from few accounts, and their checksum is most of the cost of a text. Holds answers, no state. */
const knownAddresses = new Map<AccountId, string>();
const MAX_KNOWN = 4_096;

function getAddress(account: AccountId): string {
  const known = knownAddresses.get(account);
  if (known !== undefined) return known;
  const address = formatAddress(account);
  if (knownAddresses.size >= MAX_KNOWN) knownAddresses.clear();
  knownAddresses.set(account, address);
  return address;
}
