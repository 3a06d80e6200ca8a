import { bytesToHex, quantity, toWord } from '@switchyard/protocol/ethereum';
import type { BlockAccessList, Change } from './access-list.ts';

/** A list as `eth_getBlockAccessList` answers it. */
export function accessListJson(list: BlockAccessList) {
  return list.map(({ address, storageChanges, storageReads, balanceChanges, nonceChanges, codeChanges }) => ({
    address,
    storageChanges: storageChanges.map(({ slot, changes }) => ({
      key: slot,
      changes: changes.map(changeJson(toWord)),
    })),
    storageReads,
    balanceChanges: balanceChanges.map(changeJson(quantity)),
    nonceChanges: nonceChanges.map(changeJson(quantity)),
    codeChanges: codeChanges.map(({ index, value }) => ({ index: quantity(index), code: bytesToHex(value) })),
  }));
}

function changeJson(format: (value: bigint) => string) {
  return ({ index, value }: Change<bigint>) => ({ index: quantity(index), value: format(value) });
}
