import { bytesOf, ZERO_HASH } from '@switchyard/protocol/ethereum';
import type { Watch } from '../interpreter/interface.ts';
import type { BlockValues } from '../interpreter/values.ts';
import { readyPrecompiles } from '../precompiles/contract.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../state/account.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { StateReader, StateWriter } from '../state/state.ts';
import { OPCODE } from '../trace/opcodes.ts';
import type { Address, Data } from '../types.ts';
import type { EvmMessage } from './evm-message.ts';
import type { Machine } from './machine.ts';

/** A state with nothing in it. */
export const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  code: () => new Uint8Array(),
};

export const ALICE: Address = `0x${'a1'.repeat(20)}`;
export const BOB: Address = `0x${'b2'.repeat(20)}`;
export const COINBASE: Address = `0x${'cb'.repeat(20)}`;

export const ENVIRONMENT: BlockValues = {
  number: 7n,
  timestamp: 1_700_000_000n,
  gasLimit: 30_000_000n,
  coinbase: COINBASE,
  difficulty: 0n,
  prevRandao: ZERO_HASH,
  baseFeePerGas: 1_000_000_000n,
  blobBaseFee: 1n,
};

/** On the rules of Cancun, in the block above. */
export async function machineOn(state: StateWriter, watch?: Watch): Promise<Machine> {
  await readyPrecompiles();
  return { fork: 'cancun', chainId: 1_337n, state, block: ENVIRONMENT, blockHash: () => undefined, watch };
}

/** Accounts by address: code, and balance in wei. */
export function stateWith(
  accounts: Readonly<Record<Address, { code?: Data; balance?: bigint; nonce?: bigint }>>,
): StateOverlay {
  const state = new StateOverlay(NOTHING);
  for (const [address, { code = '0x', balance = 0n, nonce = 0n }] of Object.entries(accounts)) {
    const codeHash = code === '0x' ? EMPTY_CODE_HASH : state.putCode(bytesOf(code));
    // The keys of the record are addresses.
    state.putAccount(address as Address, { nonce, balance, codeHash, storageRoot: EMPTY_ROOT });
  }
  return state;
}

export function messageOf(message: Partial<EvmMessage>): EvmMessage {
  return {
    from: ALICE,
    to: BOB,
    nonce: 0n,
    gasLimit: 1_000_000n,
    gasPrice: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    value: 0n,
    data: new Uint8Array(),
    accessList: [],
    authorizations: [],
    blobs: undefined,
    ...message,
  };
}

const NAMES: Readonly<Record<string, number>> = {
  ...OPCODE,
  add: 0x01,
  eq: 0x14,
  calldataload: 0x35,
  pop: 0x50,
  mload: 0x51,
  mstore: 0x52,
  jump: 0x56,
  jumpi: 0x57,
  gas: 0x5a,
  dup1: 0x80,
};

/**
 * Code from names of opcodes and numbers, each number a PUSH of as many bytes as it has.
 *
 * @example code(1, 0, 'sstore', 'stop') // PUSH1 01 PUSH1 00 SSTORE STOP
 */
export function code(...parts: readonly (string | number | bigint | { readonly raw: Data })[]): Data {
  const bytes = parts.map((part) => {
    if (typeof part === 'object') return part.raw.slice(2);
    if (typeof part !== 'string') {
      const digits = part.toString(16);
      const even = digits.length % 2 === 0 ? digits : `0${digits}`;
      return `${(0x5f + even.length / 2).toString(16)}${even}`;
    }
    if (part.startsWith('0x')) {
      const digits = part.slice(2);
      return `${(0x5f + digits.length / 2).toString(16)}${digits}`;
    }
    const opcode = NAMES[part];
    if (opcode === undefined) throw new Error(`no opcode ${part}`);
    return opcode.toString(16).padStart(2, '0');
  });
  return `0x${bytes.join('')}`;
}

/** Creation code that leaves `runtime` behind. */
export function deploying(runtime: Data): Data {
  const length = (runtime.length - 2) / 2;
  // PUSH2 length, DUP1, PUSH1 offset, PUSH1 0, CODECOPY, PUSH1 0, RETURN
  const head = `61${length.toString(16).padStart(4, '0')}80600c6000396000f3`;
  return `0x${head}${runtime.slice(2)}`;
}
