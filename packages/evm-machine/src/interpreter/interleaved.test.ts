import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { beforeAll, expect, test } from 'vitest';
import { readyPrecompiles } from '../precompiles/contract.ts';
import type { StateOverlay } from '../state/overlay.ts';
import { ALICE, BOB, ENVIRONMENT, makeMessage, stateWith } from '../testing.ts';
import type { Data } from '../types.ts';
import { execute } from './execute.ts';
import type { Hooks } from './hooks.ts';
import type { MachineOptions } from './interface.ts';

/* Executions share frames, rooms and contexts, one after another; concurrent ones do not. */

beforeAll(readyPrecompiles);

/** Adds up to 3,000, keeps the sum in slot 0 and in memory, and returns it with the call's output. */
const SUMS: Data = '0x5f5f5b600101908101908061 0bb8 11600257 50 5f55 5f545f52 5f35602052 60405ff3'.replaceAll(
  ' ',
  '',
) as Data;
/** Calls itself with one less until there is nothing to take from, and returns how often it was called. */
const RECURSES: Data = '0x5f3580600d575f5f5260205ff35b600190035f5260205f60205f5f305af1505f516001015f5260205ff3';

function options(code: Data, hooks?: Hooks): MachineOptions & { readonly state: StateOverlay } {
  const state = stateWith({ [ALICE]: { balance: 10n ** 18n }, [BOB]: { code } });
  const machine = {
    fork: 'osaka' as const,
    chainId: 1n,
    state,
    block: { ...ENVIRONMENT },
    blockHash: () => undefined,
    isOfMany: true,
  };
  return hooks === undefined ? machine : { ...machine, hooks };
}

const message = (data: bigint, nonce = 0n) =>
  makeMessage({ data: hexToBytes(toWord(data)), nonce, gasLimit: 3_000_000n, gasPrice: 10n ** 9n });

function makeOutcome(machine: MachineOptions, data: bigint, nonce?: bigint) {
  const outcome = execute(machine, message(data, nonce)).run();
  return { ...outcome, output: bytesToHex(outcome.output) };
}

test('one that was left in the middle changes nothing for those that follow on its block and state', () => {
  const machine = options(SUMS);
  const end = (): never => {
    throw new Error('ended');
  };
  expect(() => execute({ ...machine, watch: end }, message(7n)).run()).toThrow('ended');
  const fresh = options(SUMS);
  expect(makeOutcome(machine, 1n)).toEqual(makeOutcome(fresh, 1n));
  expect(makeOutcome(machine, 2n, 1n)).toEqual(makeOutcome(fresh, 2n, 1n));
  expect(machine.state.accounts).toEqual(fresh.state.accounts);
  expect(machine.state.slots).toEqual(fresh.state.slots);
});

test('hooks are those of each execution, though the block is the same', () => {
  const machine = options(SUMS);
  const entered: string[] = [];
  makeOutcome({ ...machine, hooks: { enter: ({ kind }) => entered.push(`first ${kind}`) } }, 1n);
  makeOutcome(machine, 1n, 1n);
  makeOutcome({ ...machine, hooks: { enter: ({ kind }) => entered.push(`third ${kind}`) } }, 1n, 2n);
  expect(entered).toEqual(['first CALL', 'third CALL']);
});

test.each([
  ['fork', '0x5f5f5f5ff3', { fork: 'london' }],
  ['chain id', '0x465f5260205ff3', { chainId: 2n }],
  ['the length of code', '0x6360285ff35f526004601c5ff05f5260205ff3', { maxCodeBytes: 39 }],
  ['hashes of blocks', '0x6006405f5260205ff3', { blockHash: () => toWord(9n) }],
  ['state', '0x60015f5260205ff3', { state: options('0x60025f5260205ff3').state }],
  ['precompiled contracts', '0x5f5f60205f60045afa3d5f5260205ff3', { precompiles: new Map() }],
] as const)('an execution with other values for %s on the block of one before', (_, code, changes) => {
  const machine = options(code);
  const first = makeOutcome(machine, 1n);
  // On a block that is equal, but another one, nothing is shared.
  const alone = { ...options(code), ...changes, block: { ...machine.block } };
  const outcome = makeOutcome({ ...machine, ...changes, block: machine.block }, 1n);
  expect(outcome).toEqual(makeOutcome(alone, 1n));
  expect(outcome).not.toEqual(first);
});

test('calls that are deeper than there are rooms', () => {
  const traced = options(RECURSES, { step: () => undefined });
  const plain = options(RECURSES);
  for (const [nonce, depth] of [3n, 15n, 16n, 17n, 60n].entries()) {
    const outcome = makeOutcome(plain, depth, BigInt(nonce));
    expect(BigInt(outcome.output)).toBe(depth);
    expect(outcome).toEqual(makeOutcome(traced, depth, BigInt(nonce)));
  }
});

test('code that is longer than a room has place for', () => {
  const long: Data = `${SUMS}${'00'.repeat(70_000)}`;
  expect(makeOutcome(options(long), 1n)).toEqual(makeOutcome(options(SUMS), 1n));
});
