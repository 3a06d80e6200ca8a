import { BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE } from '../genesis-file.ts';
import { bytesOf, wordOf } from '../hex.ts';
import { keccakHex } from '../keccak.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { StateWriter } from '../state/state.ts';
import type { Address } from '../types.ts';
import type { BlockEnvironment } from './environment.ts';
import type { Interpreter } from './interpreter.ts';

/** EIP-4788. */
const SYSTEM_ADDRESS: Address = '0xfffffffffffffffffffffffffffffffffffffffe';
const SYSTEM_GAS = 30_000_000n;
const RING_LENGTH = 8_191n;

const KNOWN_CODE = keccakHex(bytesOf(BEACON_ROOTS_CODE));

/**
 * What happens before the first transaction of a block: the contract of EIP-4788 is called with the hash of the
 * sequencer block. The well-known code does no more than write two words, which needs no interpreter.
 */
export async function storeBeaconRoot(
  state: StateWriter,
  { timestamp, parentBeaconBlockRoot }: BlockEnvironment,
  interpreter: Interpreter,
  direct: boolean,
): Promise<void> {
  const account = state.account(BEACON_ROOTS_ADDRESS);
  if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return;
  if (!direct || account.codeHash !== KNOWN_CODE) {
    await interpreter.system(SYSTEM_ADDRESS, BEACON_ROOTS_ADDRESS, bytesOf(parentBeaconBlockRoot), SYSTEM_GAS);
    return;
  }
  const at = timestamp % RING_LENGTH;
  state.putStorage(BEACON_ROOTS_ADDRESS, wordOf(at), timestamp);
  state.putStorage(BEACON_ROOTS_ADDRESS, wordOf(at + RING_LENGTH), BigInt(parentBeaconBlockRoot));
}
