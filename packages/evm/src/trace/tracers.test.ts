import { ALICE, BOB, COINBASE, code, deploying, stateWith } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { OtsTracer } from '../explorer/ots/ots-tracer.ts';
import { StateDiffTracer } from '../explorer/parity/state-diff.ts';
import { VmTracer } from '../explorer/parity/vm-tracer.ts';
import { OF_A_CALL } from '../simulate/checks.ts';
import type { EvmMessage } from '../simulate/evm-message.ts';
import { applyMessage } from '../simulate/message.ts';
import { machineOn, makeMessage } from '../simulate/testing.ts';
import { AccessListTracer } from './access-list-tracer.ts';
import { Budget } from './budget.ts';
import { CallTracer } from './call-tracer.ts';
import { FlatTracer } from './flat-tracer.ts';
import { PrestateTracer } from './prestate-tracer.ts';
import { FourByteTracer } from './small-tracers.ts';
import { StructLogger } from './struct-logger.ts';
import type { Tracer } from './tracer.ts';

const CAROL: Address = `0x${'c3'.repeat(20)}`;

async function traced(
  tracer: Tracer,
  state: ReturnType<typeof stateWith>,
  message: Partial<EvmMessage> = {},
): Promise<unknown> {
  return tracer.result(await applyMessage(await machineOn(state), makeMessage(message), OF_A_CALL, tracer));
}

/** Calls CAROL with 4 bytes of input and the given value. */
const calls = (opcode: string, value: number | undefined) =>
  code(
    { raw: '0x6311223344600052' },
    ...[0, 0, 4, 28, ...(value === undefined ? [] : [value]), CAROL, 50_000],
    opcode,
    'stop',
  );

const INPUT = '0x11223344';

test.each([
  ['call', 2, { from: BOB, to: CAROL, value: '0x2', type: 'CALL' }],
  ['callcode', 2, { from: BOB, to: CAROL, value: '0x2', type: 'CALLCODE' }],
  ['delegatecall', undefined, { from: BOB, to: CAROL, value: '0x5', type: 'DELEGATECALL' }],
  ['staticcall', undefined, { from: BOB, to: CAROL, type: 'STATICCALL' }],
] as const)('shows a %s with its kind, parties, value and gas', async (opcode, value, expected) => {
  const state = stateWith({
    [ALICE]: { balance: 9n },
    [BOB]: { code: calls(opcode, value) },
    [CAROL]: { code: code(7, 0, 'mstore', 32, 0, 'return') },
  });
  const gas = value === undefined ? 50_000 : 52_300;
  const frame = { ...expected, gas: `0x${gas.toString(16)}`, gasUsed: '0x12', input: INPUT, output: toWord(7n) };
  expect(await traced(new CallTracer(1_000_000n), state, { value: 5n })).toMatchObject({
    type: 'CALL',
    from: ALICE,
    to: BOB,
    value: '0x5',
    gas: '0xf4240',
    input: '0x',
    calls: [frame],
  });
});

test('the frame of a transaction shows the gas limit and what the receipt will say', async () => {
  const state = stateWith({});
  expect(await traced(new CallTracer(30_000n), state, { gasLimit: 30_000n })).toEqual({
    type: 'CALL',
    from: ALICE,
    to: BOB,
    value: '0x0',
    gas: '0x7530',
    gasUsed: '0x5208',
    input: '0x',
  });
});

test('shows calls that could not begin: no balance, and no depth', async () => {
  const poor = stateWith({ [BOB]: { code: calls('call', 2) }, [CAROL]: {} });
  expect(await traced(new CallTracer(1_000_000n), poor)).toMatchObject({
    calls: [
      {
        type: 'CALL',
        to: CAROL,
        value: '0x2',
        input: INPUT,
        gas: '0xcc4c',
        gasUsed: '0x0',
        error: 'insufficient balance for transfer',
      },
    ],
  });
  // Calls itself with all its gas, until it may not.
  const itself = code(0, 0, 0, 0, 0, BOB, 'gas', 'call', 'stop');
  const deep = await traced(new CallTracer(10n ** 15n), stateWith({ [BOB]: { code: itself } }), {
    gasLimit: 10n ** 15n,
  });
  const text = JSON.stringify(deep);
  expect(text.match(/"type":"CALL"/g)).toHaveLength(1_026);
  expect(text.match(/max call depth exceeded/g)).toHaveLength(1);
});

test('shows creations with their address and code, and those that failed without', async () => {
  const init = deploying('0x00');
  const length = (init.length - 2) / 2;
  const factory = code(init, 0, 'mstore', length, 32 - length, 0, 'create', 'stop');
  const made: unknown = await traced(new CallTracer(1_000_000n), stateWith({ [BOB]: { code: factory, nonce: 1n } }));
  expect(made).toMatchObject({
    calls: [{ type: 'CREATE', from: BOB, to: expect.stringMatching(/^0x[0-9a-f]{40}$/), input: init, output: '0x00' }],
  });
  const failing = code(1, 0, 'mstore', 32, 0, 'revert');
  const top = { to: undefined, data: hexToBytes(failing) };
  const failed = await traced(new CallTracer(1_000_000n), stateWith({}), top);
  expect(failed).toMatchObject({ type: 'CREATE', error: 'execution reverted', output: toWord(1n), input: failing });
  expect(failed).not.toHaveProperty('to');
});

test('code that costs more to keep than is left is distinguished from code that ran out of gas', async () => {
  const large = code(20_000, 0, 'return');
  const message = { to: undefined, data: hexToBytes(large), gasLimit: 200_000n };
  expect(await traced(new CallTracer(200_000n), stateWith({}), message)).toMatchObject({
    error: 'contract creation code storage out of gas',
  });
  const starving = { [BOB]: { code: code('jumpdest', 0, 'jump') } };
  expect(await traced(new CallTracer(30_000n), stateWith(starving), { gasLimit: 30_000n })).toMatchObject({
    error: 'out of gas',
    gasUsed: '0x7530',
  });
});

test('shows what a contract leaves when it destroys itself', async () => {
  const state = stateWith({ [BOB]: { code: code(CAROL, 'selfdestruct'), balance: 6n } });
  expect(await traced(new CallTracer(1_000_000n), state)).toMatchObject({
    calls: [{ type: 'SELFDESTRUCT', from: BOB, to: CAROL, value: '0x6', gas: '0x0', gasUsed: '0x0', input: '0x' }],
  });
});

test('logs are shown with their place among calls, and not where the frame failed', async () => {
  const logs = code({ raw: '0x60aa60005360bb60016000a1' });
  const both = (end: string) =>
    code(
      { raw: '0x60bb60016000a1' },
      0,
      0,
      0,
      0,
      0,
      CAROL,
      50_000,
      'call',
      { raw: '0x60016000a0' },
      ...(end === 'revert' ? [0, 0, end] : [end]),
    );
  const state = (end: string) => stateWith({ [BOB]: { code: both(end) }, [CAROL]: { code: logs } });
  const withLog = { withLog: true };
  expect(await traced(new CallTracer(1_000_000n, withLog), state('stop'))).toMatchObject({
    logs: [
      { address: BOB, topics: [toWord(0xbbn)], data: '0x00', position: '0x0', index: '0x0' },
      { address: BOB, topics: [], data: '0x00', position: '0x1', index: '0x2' },
    ],
    calls: [{ logs: [{ address: CAROL, topics: [toWord(0xbbn)], data: '0xaa', position: '0x0', index: '0x1' }] }],
  });
  expect(JSON.stringify(await traced(new CallTracer(1_000_000n, withLog), state('revert')))).not.toContain('logs');
  expect(JSON.stringify(await traced(new CallTracer(1_000_000n), state('stop')))).not.toContain('logs');
});

test('follows only the transaction itself when asked to', async () => {
  const state = stateWith({ [BOB]: { code: calls('call', 0) }, [CAROL]: { code: calls('call', 0) } });
  const top = await traced(new CallTracer(1_000_000n, { onlyTopCall: true }), state);
  expect(top).toMatchObject({ to: BOB, type: 'CALL' });
  expect(top).not.toHaveProperty('calls');
});

test('the reason of a revert is read', async () => {
  const text = `08c379a0${toWord(32n).slice(2)}${toWord(4n).slice(2)}${Buffer.from('nope').toString('hex').padEnd(64, '0')}`;
  const words = text.padEnd(256, '0').match(/.{64}/g) ?? [];
  const stores = words.flatMap((word, at) => [{ raw: `0x7f${word}` as const }, at * 32, 'mstore']);
  const state = stateWith({ [BOB]: { code: code(...stores, 100, 0, 'revert') } });
  expect(await traced(new CallTracer(1_000_000n), state)).toMatchObject({
    error: 'execution reverted',
    revertReason: 'nope',
    output: `0x${text}`,
  });
});

const keeps = code(1, 'sload', 'pop', 5, 2, 'sstore', CAROL, 'balance', 'stop');

test('shows what a transaction looked at, as it was before', async () => {
  const state = stateWith({
    [ALICE]: { balance: 100n, nonce: 3n },
    [BOB]: { code: keeps, balance: 1n },
    [CAROL]: { balance: 4n },
  });
  state.putStorage(BOB, toWord(1n), 9n);
  const codeHash = state.account(BOB)?.codeHash;
  expect(await traced(new PrestateTracer(), state, { nonce: 3n, value: 7n })).toEqual({
    [ALICE]: { balance: '0x64', nonce: 3 },
    [BOB]: { balance: '0x1', code: keeps, codeHash, storage: { [toWord(1n)]: toWord(9n), [toWord(2n)]: toWord(0n) } },
    [CAROL]: { balance: '0x4' },
  });
});

test('shows what a transaction changed', async () => {
  const state = stateWith({
    [ALICE]: { balance: 100n, nonce: 3n },
    [BOB]: { code: keeps, balance: 1n },
    [CAROL]: { balance: 4n },
  });
  state.putStorage(BOB, toWord(2n), 9n);
  const codeHash = state.account(BOB)?.codeHash;
  expect(await traced(new PrestateTracer({ diffMode: true }), state, { nonce: 3n, value: 7n })).toEqual({
    pre: {
      [ALICE]: { balance: '0x64', nonce: 3 },
      [BOB]: { balance: '0x1', code: keeps, codeHash, storage: { [toWord(2n)]: toWord(9n) } },
    },
    post: {
      [ALICE]: { balance: '0x5d', nonce: 4 },
      [BOB]: { balance: '0x8', storage: { [toWord(2n)]: toWord(5n) } },
    },
  });
});

test('accounts that were not there are shown only when asked for', async () => {
  const state = stateWith({ [ALICE]: { balance: 1n } });
  expect(await traced(new PrestateTracer({ includeEmpty: true }), state)).toEqual({
    [ALICE]: { balance: '0x1' },
    [BOB]: { balance: '0x0' },
    [COINBASE]: { balance: '0x0' },
  });
});

test('a contract that was made has an after and no before', async () => {
  const state = stateWith({ [ALICE]: { balance: 1n } });
  const made = { to: undefined, data: hexToBytes(deploying('0x00')) };
  const difference = await traced(new PrestateTracer({ diffMode: true }), state, made);
  const { pre, post } = Object(difference);
  expect(pre).toEqual({ [ALICE]: { balance: '0x1' } });
  expect(Object.values(post)).toEqual([{ nonce: 1 }, { nonce: 1, code: '0x00', codeHash: expect.any(String) }]);
});

test("shows changes in OpenEthereum's words", async () => {
  const state = stateWith({
    [ALICE]: { balance: 9n },
    [BOB]: { code: code(5, 2, 'sstore', 1, 'sload', CAROL, 'selfdestruct') },
  });
  state.putStorage(BOB, toWord(1n), 4n);
  expect(await traced(new StateDiffTracer(), state, { value: 3n })).toEqual({
    [ALICE]: {
      balance: { '*': { from: '0x9', to: '0x6' } },
      nonce: { '*': { from: '0x0', to: '0x1' } },
      code: '=',
      storage: {},
    },
    [BOB]: {
      balance: '=',
      nonce: '=',
      code: '=',
      storage: { [toWord(2n)]: { '*': { from: toWord(0n), to: toWord(5n) } } },
    },
    [CAROL]: { balance: { '+': '0x3' }, nonce: { '+': '0x0' }, code: { '+': '0x' }, storage: {} },
  });
});

test('shows what each opcode left, and the frames that they opened', async () => {
  const inner = code(7, 0, 'mstore', 32, 0, 'return');
  const state = stateWith({ [BOB]: { code: calls('call', 0) }, [CAROL]: { code: inner } });
  const { ops, code: outer } = Object(await traced(new VmTracer(), state));
  expect(outer).toBe(calls('call', 0));
  const call = ops.find(({ op }: { op: string }) => op === 'CALL');
  expect(call).toMatchObject({ ex: { push: ['0x1'], mem: null, store: null }, sub: { code: inner } });
  expect(
    call.sub.ops.map(({ op, ex }: { op: string; ex: { push: string[]; mem: unknown } }) => [op, ex.push, ex.mem]),
  ).toEqual([
    ['PUSH1', ['0x7'], null],
    ['PUSH1', ['0x0'], null],
    ['MSTORE', [], { off: 0, data: toWord(7n) }],
    ['PUSH1', ['0x20'], null],
    ['PUSH1', ['0x0'], null],
    ['RETURN', [], null],
  ]);
  const stores = await traced(new VmTracer(), stateWith({ [BOB]: { code: code(5, 2, 'sstore', 'pop') } }));
  expect(Object(stores).ops).toMatchObject([
    {},
    {},
    { op: 'SSTORE', ex: { store: { key: '0x2', val: '0x5' } } },
    { op: 'POP', ex: null },
  ]);
});

test('counts functions by selector and length of arguments, without precompiled contracts', async () => {
  const sha: Address = `0x${'00'.repeat(19)}02`;
  const twice = code(
    { raw: '0x6311223344600052' },
    ...[0, 0, 4, 28, 0, CAROL, 50_000, 'call'],
    ...[0, 0, 4, 28, 0, sha, 50_000, 'call'],
    'stop',
  );
  const state = stateWith({ [BOB]: { code: twice }, [CAROL]: { code: '0x00' } });
  const counts = await traced(new FourByteTracer(), state, { data: hexToBytes('0xaabbccdd00') });
  expect(counts).toEqual({ '0xaabbccdd-1': 1, '0x11223344-0': 1 });
});

test('lists what could have been announced', async () => {
  const state = stateWith({ [BOB]: { code: keeps } });
  expect(await traced(new AccessListTracer([], new Set([ALICE, BOB])), state)).toEqual([
    { address: BOB, storageKeys: [toWord(1n), toWord(2n)] },
    { address: CAROL, storageKeys: [] },
  ]);
});

test('shows each opcode with what it found and what it took', async () => {
  const state = stateWith({ [BOB]: { code: code(5, 2, 'sstore', 2, 'sload') } });
  expect(await traced(new StructLogger({ enableMemory: true }), state)).toEqual({
    gas: 21_000 + 3 * 3 + 22_100 + 100,
    failed: false,
    returnValue: '0x',
    structLogs: [
      { pc: 0, op: 'PUSH1', gas: 979_000, gasCost: 3, depth: 1, stack: [] },
      { pc: 2, op: 'PUSH1', gas: 978_997, gasCost: 3, depth: 1, stack: ['0x5'] },
      {
        pc: 4,
        op: 'SSTORE',
        gas: 978_994,
        gasCost: 22_100,
        depth: 1,
        stack: ['0x5', '0x2'],
        storage: { [toWord(2n)]: toWord(5n) },
      },
      { pc: 5, op: 'PUSH1', gas: 956_894, gasCost: 3, depth: 1, stack: [] },
      {
        pc: 7,
        op: 'SLOAD',
        gas: 956_891,
        gasCost: 100,
        depth: 1,
        stack: ['0x2'],
        storage: { [toWord(2n)]: toWord(5n) },
      },
      // The end of the code is a STOP.
      { pc: 8, op: 'STOP', gas: 956_791, gasCost: 0, depth: 1, stack: ['0x5'] },
    ],
  });
});

test('a call costs what it hands over, and its frame is one deeper', async () => {
  const state = stateWith({
    [BOB]: { code: calls('call', 0) },
    [CAROL]: { code: code(7, 0, 'mstore', 32, 0, 'return') },
  });
  const { structLogs } = Object(
    await traced(new StructLogger({ disableStack: true, enableReturnData: true, enableMemory: true }), state),
  );
  const steps: { op: string; depth: number; gasCost: number }[] = structLogs;
  expect(steps.map(({ op, depth }) => `${depth} ${op}`).slice(-8)).toEqual([
    '1 CALL',
    ...['2 PUSH1', '2 PUSH1', '2 MSTORE', '2 PUSH1', '2 PUSH1', '2 RETURN'],
    '1 STOP',
  ]);
  expect(steps.find(({ op }) => op === 'CALL')?.gasCost).toBe(2_600 + 50_000);
  expect(steps.at(-1)).toMatchObject({
    op: 'STOP',
    returnData: toWord(7n),
    memory: [bytesToHex(Buffer.from('11223344'.padStart(64, '0'), 'hex'))],
  });
});

test('the step that failed names the reason', async () => {
  const state = stateWith({ [BOB]: { code: code('pop') } });
  const { structLogs, failed, returnValue } = Object(await traced(new StructLogger(), state));
  expect({ failed, returnValue }).toEqual({ failed: true, returnValue: '0x' });
  expect(structLogs).toMatchObject([{ op: 'POP', error: 'stack underflow' }]);
});

test('answers at most as many steps as were asked for', async () => {
  const state = stateWith({ [BOB]: { code: code(1, 2, 3, 'stop') } });
  const { structLogs } = Object(await traced(new StructLogger({ limit: 2 }), state));
  expect(structLogs).toHaveLength(2);
});

/** Words of all lengths on the stack, memory of many words, slots, logs, and calls of CAROL, which reverts with a reason. */
const busy = code(
  ...Array.from({ length: 60 }, (_, count) => ({
    raw: `0x7f${'ff'.repeat(32 - (count % 16)).padStart(64, '0')}` as const,
  })),
  ...[1, 3_000, 'mstore', 5, 2, 'sstore', 2, 'sload', 6, 3, 'sstore', 3, 'sload'],
  ...[1, 2, 3, 4, 500, 0, { raw: '0xa4' } as const],
  ...Array.from({ length: 20 }, () => [0, 0, 300, 0, 0, CAROL, 30_000, 'call']).flat(),
  'stop',
);
const reverts = code(
  { raw: '0x62461bcd60e51b5f52602060045260106024526f' },
  { raw: `0x${'22'.repeat(16)}` },
  { raw: '0x60801b60445260645ffd' },
);

// Defect: The budget of an answer counted a quarter of a trace, and no logs, slots or selectors
test.each([
  ['struct logs', (budget: Budget) => new StructLogger({ enableMemory: true, enableReturnData: true }, budget)],
  ['callTracer', (budget: Budget) => new CallTracer(10_000_000n, { withLog: true }, budget)],
  ['flatCallTracer', (budget: Budget) => new FlatTracer(budget)],
  ['prestateTracer', (budget: Budget) => new PrestateTracer({}, budget)],
  ['prestateTracer with differences', (budget: Budget) => new PrestateTracer({ diffMode: true }, budget)],
  ['4byteTracer', (budget: Budget) => new FourByteTracer(budget)],
  ['vmTrace', (budget: Budget) => new VmTracer(budget)],
  ['stateDiff', (budget: Budget) => new StateDiffTracer(budget)],
  ['the trace of Otterscan', (budget: Budget) => new OtsTracer(budget)],
])('the answer of %s is no longer than what was counted', async (_, getTracer) => {
  const state = stateWith({ [BOB]: { code: busy, balance: 9n }, [CAROL]: { code: reverts } });
  const budget = new Budget();
  const result = await traced(getTracer(budget), state, { gasLimit: 10_000_000n, data: hexToBytes(INPUT) });
  expect(JSON.stringify(result).length).toBeLessThanOrEqual(budget.used);
});

class Unbounded extends Budget {
  override take(): void {}
}

// Defect: callTracer failed after many failing calls
test('a transaction that fails after 600,000 calls is shown', () => {
  const tracer = new CallTracer(30_000_000n, { withLog: true }, new Unbounded());
  const frame = {
    kind: 'CALL',
    from: BOB,
    to: CAROL,
    value: 0n,
    input: new Uint8Array(),
    gas: 1,
    precompile: false,
  } as const;
  const end = { output: new Uint8Array(), gasUsed: 1, error: 'execution reverted' };
  tracer.enter({ ...frame, depth: 0 });
  for (let count = 0; count < 600_000; count += 1) {
    tracer.enter({ ...frame, depth: 1 });
    tracer.exit(end);
  }
  tracer.exit(end);
  const failure = { kind: 'revert', text: 'execution reverted' } as const;
  const outcome = {
    gasUsed: 1n,
    gasPeak: 1n,
    blockGas: { execution: 1n, state: 0n },
    output: new Uint8Array(),
    logs: [],
    failure,
  };
  expect(tracer.result({ ...outcome, created: undefined }).calls).toHaveLength(600_000);
});
