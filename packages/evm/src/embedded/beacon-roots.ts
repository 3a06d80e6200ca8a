import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import { executeSystemCall } from '@switchyard/evm-machine/execute';
import type { Hash } from '@switchyard/evm-machine/types';
import { hexToBytes, keccakHex, toWord } from '@switchyard/protocol/ethereum';
import { BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE } from '../genesis/file.ts';
import type { CallContext } from './environment.ts';
import { putSlot } from './put-slot.ts';

const RING_LENGTH = 8_191n;
const KNOWN_CODE = keccakHex(hexToBytes(BEACON_ROOTS_CODE));

/**
 * Calls the contract of EIP-4788 before a block's first transaction, on rollups with the hash of the sequencer block.
 * The well-known code does no more than write two words, which needs no interpreter.
 */
export function storeBeaconRoot(context: CallContext, root: Hash): void {
  const { state, block, recorder, direct = false } = context;
  const { timestamp } = block;
  const account = state.account(BEACON_ROOTS_ADDRESS);
  recorder?.accessed(BEACON_ROOTS_ADDRESS);
  if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return;
  if (!direct || account.codeHash !== KNOWN_CODE) {
    const call = { to: BEACON_ROOTS_ADDRESS, data: hexToBytes(root) };
    executeSystemCall(context, call).run();
    return;
  }
  const at = timestamp % RING_LENGTH;
  putSlot(context, BEACON_ROOTS_ADDRESS, toWord(at), timestamp);
  putSlot(context, BEACON_ROOTS_ADDRESS, toWord(at + RING_LENGTH), BigInt(root));
}
