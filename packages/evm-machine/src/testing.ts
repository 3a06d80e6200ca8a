import { hexToBytes, ZERO_HASH } from '@switchyard/protocol/ethereum';
import type { MachineOptions } from './interpreter/interface.ts';
import type { BlockValues, Message } from './interpreter/values.ts';
import { OPCODE } from './opcodes.ts';
import { readyPrecompiles } from './precompiles/contract.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from './state/account.ts';
import { StateOverlay } from './state/overlay.ts';
import type { StateReader, StateWriter } from './state/state.ts';
import type { Address, Data, Hash } from './types.ts';

/** A state with nothing in it. */
export const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  code: () => new Uint8Array(),
};

export const ALICE: Address = `0x${'a1'.repeat(20)}`;
export const BOB: Address = `0x${'b2'.repeat(20)}`;
export const COINBASE: Address = `0x${'cb'.repeat(20)}`;

/** A private key known to everybody, of development's first account. */
export const KEY: Hash = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

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
export async function machineOn(state: StateWriter): Promise<MachineOptions> {
  await readyPrecompiles();
  return { fork: 'cancun', chainId: 1_337n, state, block: ENVIRONMENT, blockHash: () => undefined };
}

/** Accounts by address: code, and balance in wei. */
export function stateWith(
  accounts: Readonly<Record<Address, { code?: Data; balance?: bigint; nonce?: bigint }>>,
): StateOverlay {
  const state = new StateOverlay(NOTHING);
  for (const [address, { code = '0x', balance = 0n, nonce = 0n }] of Object.entries(accounts)) {
    const codeHash = code === '0x' ? EMPTY_CODE_HASH : state.putCode(hexToBytes(code));
    // The keys of the record are addresses.
    state.putAccount(address as Address, { nonce, balance, codeHash, storageRoot: EMPTY_ROOT });
  }
  return state;
}

export function makeMessage(message: Partial<Message>): Message {
  return {
    from: ALICE,
    to: BOB,
    nonce: 0n,
    gasLimit: 1_000_000n,
    gasPrice: 0n,
    value: 0n,
    data: new Uint8Array(),
    accessList: [],
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
 * Code from names of opcodes and numbers, each number a PUSH of as many bytes as the number has.
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

/** Input that the precompile at 0x0a accepts: the one in go-ethereum's tests. */
export const POINT_EVALUATION = hexToBytes(
  '0x01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a',
);
