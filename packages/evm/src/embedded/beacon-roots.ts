import { BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE } from '../genesis-file.ts';
import { bytesOf, wordOf } from '../hex.ts';
import { executeSystemCall } from '../interpreter/execute.ts';
import { runInTurns } from '../interpreter/turns.ts';
import { keccakHex } from '../keccak.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import { type BlockContext, machineOn } from './environment.ts';

const RING_LENGTH = 8_191n;
const KNOWN_CODE = keccakHex(bytesOf(BEACON_ROOTS_CODE));

/**
 * What happens before the first transaction of a block: the contract of EIP-4788 is called with the hash of the
 * sequencer block. The well-known code does no more than write two words, which needs no interpreter.
 */
export async function storeBeaconRoot(context: BlockContext): Promise<void> {
  const { state, block, direct } = context;
  const { timestamp, parentBeaconBlockRoot } = block;
  const account = state.account(BEACON_ROOTS_ADDRESS);
  if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return;
  if (!direct || account.codeHash !== KNOWN_CODE) {
    const call = { to: BEACON_ROOTS_ADDRESS, data: bytesOf(parentBeaconBlockRoot) };
    await runInTurns(executeSystemCall(machineOn(context), call), context);
    return;
  }
  const at = timestamp % RING_LENGTH;
  state.putStorage(BEACON_ROOTS_ADDRESS, wordOf(at), timestamp);
  state.putStorage(BEACON_ROOTS_ADDRESS, wordOf(at + RING_LENGTH), BigInt(parentBeaconBlockRoot));
}
