import { gunzipSync, gzipSync } from 'node:zlib';
import type { StateReader, StateWriter } from '@switchyard/evm-machine/state';
import type { Address, Data, Hash } from '@switchyard/evm-machine/types';
import { quantity as asQuantity, bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { errorLine, exactJsonText } from '@switchyard/service';
import { parseInput, type Read } from '@switchyard/service/input';
import { serverError } from '../json/errors.ts';
import { address, data, getObject, mapOf, quantity, quantity64, slot } from '../json/params.ts';
import { NEW_ACCOUNT } from '../transactions/accounts.ts';

/* The state as anvil writes and reads it: JSON, packed by gzip, in hex. Its blocks and transactions are neither written nor read. */

/** Unpacked. */
export const MAX_BYTES = 128 * 1_048_576;
const MAX_ACCOUNTS = 1_000_000;
/** Approximate lengths of a slot and of an account without its code, as JSON. */
const SLOT_LENGTH = 138;
const ACCOUNT_LENGTH = 120;

export interface Dumped {
  readonly state: StateReader;
  readonly addresses: Iterable<Address>;
  /** Slots that may have a value. */
  getSlots(address: Address): Iterable<Hash>;
}

/** Packed, as `anvil_dumpState` answers. */
export function dumpState(dumped: Dumped): Data {
  return bytesToHex(gzipSync(stateText(dumped)));
}

/** Text of the file that anvil writes. @param more Further members, which anvil ignores. */
export function stateText({ state, addresses, getSlots }: Dumped, more: Readonly<Record<string, unknown>> = {}) {
  const accounts: Record<Address, object> = {};
  let characters = 0;
  for (const account of addresses) {
    const found = state.account(account);
    if (found === undefined) continue;
    const storage: Record<Hash, Hash> = {};
    for (const key of getSlots(account)) {
      const value = state.storage(account, key);
      if (value === 0n) continue;
      storage[key] = toWord(value);
      characters += SLOT_LENGTH;
    }
    const code = bytesToHex(state.code(found.codeHash));
    characters += ACCOUNT_LENGTH + code.length;
    if (characters > MAX_BYTES)
      throw serverError(`the state: expected at most ${MAX_BYTES} bytes as JSON, which is what can be loaded`);
    accounts[account] = { nonce: found.nonce, balance: asQuantity(found.balance), code, storage };
  }
  return exactJsonText({ block: null, accounts, best_block_number: null, blocks: [], transactions: [], ...more });
}

export const dumpedAccounts: Read<ReadonlyMap<Address, LoadedAccount>> = (input) =>
  mapOf(address, account, MAX_ACCOUNTS)(input);

const account = getObject({
  nonce: quantity64,
  balance: quantity,
  code: data,
  storage: mapOf(slot, slot, MAX_ACCOUNTS),
});

export type LoadedAccount = ReturnType<typeof account>;

const dumped: Read<{ readonly accounts?: ReadonlyMap<Address, LoadedAccount> }> = getObject({
  accounts: dumpedAccounts,
});

/** @throws {JsonRpcError} if it is no state of anvil's. */
export function readState(hex: Data): ReadonlyMap<Address, LoadedAccount> {
  try {
    const text = gunzipSync(hexToBytes(hex), { maxOutputLength: MAX_BYTES }).toString();
    const { accounts } = dumped(parseInput(text, 'state'));
    return accounts ?? new Map();
  } catch (error) {
    throw serverError(`expected a state as anvil_dumpState answers it: ${errorLine(error)}`);
  }
}

/** Replaces these accounts; of their storage only the slots that are given. */
export function putAccounts(state: StateWriter, accounts: ReadonlyMap<Address, LoadedAccount>): void {
  for (const [where, { nonce = 0n, balance = 0n, code = '0x', storage = new Map<Hash, Hash>() }] of accounts) {
    const bytes = hexToBytes(code);
    const codeHash = bytes.length === 0 ? NEW_ACCOUNT.codeHash : state.putCode(bytes);
    state.putAccount(where, { ...(state.account(where) ?? NEW_ACCOUNT), nonce, balance, codeHash });
    for (const [key, value] of storage) state.putStorage(where, key, BigInt(value));
  }
}
