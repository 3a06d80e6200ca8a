import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import { hexToBytes, keccak256, toWord } from '@switchyard/protocol/ethereum';
import { beforeAll, expect, test } from 'vitest';
import { TakesLong } from '../../simulate/time-budget.ts';
import { type CallChain, callChain } from '../call/testing.ts';
import type { RpcMethods } from '../deps.ts';
import { debugMethods } from './debug-methods.ts';

const CAROL: Address = `0x${'c3'.repeat(20)}`;
/** Keeps a word, calls CAROL with 4 bytes and 2 wei, hashes by a precompiled contract, runs out of gas in a call of itself. */
const CALLS = code(
  ...[5, 2, 'sstore', 2, 'sload', { raw: '0x6311223344600052' } as const],
  ...[32, 0, 4, 28, 2, CAROL, 50_000, 'call'],
  ...[32, 0, 32, 0, 2, 100, 'staticcall'],
  ...[0, 0, 0, 0, 0, { raw: '0x30' } as const, 300, 'call'],
  'stop',
);
const REVERTS = code(7, 0, 'mstore', 32, 0, 'revert');

let chain: CallChain;
let methods: RpcMethods;
let contract: Address;
beforeAll(async () => {
  chain = await callChain({}, { timeoutMs: 10_000 });
  const { test: node, simulator } = chain;
  methods = debugMethods({ simulator, pool: { get: () => undefined } });
  const { receipts } = await node.sequence([node.account(0).deploy(hexToBytes(deploying(CALLS)))]);
  contract = receipts[0]?.contractAddress ?? '0x';
});
const overrides = () => ({ stateOverrides: { [CAROL]: { code: REVERTS }, [contract]: { balance: '0x9' } } });
const trace = (tracer: string | undefined, more: object = {}) =>
  chain.ask(methods, 'debug_traceCall', { to: contract, input: '0xabcd' }, 'latest', {
    tracer,
    ...overrides(),
    ...more,
  });
const refused = (tracer: string, more: object = {}) =>
  trace(tracer, more).then(
    () => expect.fail('it was answered'),
    (error: unknown) => String(Object(error).rpcMessage),
  );

const STEPS = `{
  steps: [], faults: [],
  step: function(log, db) {
    var stack = [];
    for (var i = log.stack.length() - 1; i >= 0; i--) stack.push('0x' + log.stack.peek(i).toString(16));
    this.steps.push({ pc: log.getPC(), op: log.op.toString(), gas: log.getGas(), gasCost: log.getCost(), depth: log.getDepth(), stack: stack });
  },
  fault: function(log, db) { this.faults.push(log.op.toString() + ' ' + log.getError()); },
  result: function(ctx, db) { return { steps: this.steps, faults: this.faults }; }
}`;

// Defect: JavaScript tracers were refused
test('a script sees each instruction as the struct logs show it, with its cost before it runs', async () => {
  const { structLogs } = Object(await trace(undefined, { disableStorage: true }));
  const shown = structLogs.map(({ pc, op, gas, gasCost, depth, stack }: Record<string, unknown>) => ({
    pc,
    op,
    gas,
    gasCost,
    depth,
    stack,
  }));
  expect(await trace(STEPS)).toEqual({ steps: shown, faults: ['REVERT execution reverted'] });
});

test('a script sees frames as callTracer does, and what the call was', async () => {
  const { calls, ...top } = Object(await trace('callTracer'));
  const frames = `{
    open: [], calls: [], fault: function() {},
    enter: function(f) { this.open.push({ type: f.getType(), from: toHex(f.getFrom()), to: toHex(f.getTo()), input: toHex(f.getInput()), value: f.getValue() === undefined ? undefined : '0x' + f.getValue().toString(16) }); },
    exit: function(r) { var call = this.open.pop(); call.gasUsed = '0x' + r.getGasUsed().toString(16); call.error = r.getError(); this.calls.push(call); },
    result: function(ctx) { return { calls: this.calls, type: ctx.type, from: toHex(ctx.from), to: toHex(ctx.to), input: toHex(ctx.input), gas: '0x' + ctx.gas.toString(16), gasUsed: '0x' + ctx.gasUsed.toString(16), value: '0x' + ctx.value.toString(16), block: ctx.block }; }
  }`;
  const { calls: seen, block, ...context } = Object(await trace(frames));
  expect([seen, block]).toEqual([
    calls.map(({ gas: _, output: __, revertReason: ___, ...call }: Record<string, unknown>) => call),
    Number(chain.test.chain.heads.latest),
  ]);
  expect(top).toMatchObject(context);
});

test('a script has memory, the contract, the state and the helpers of go-ethereum', async () => {
  const looks = `{
    setup: function(config) { this.config = JSON.parse(config); }, fault: function() {},
    step: function(log, db) {
      if (log.op.toString() !== 'CALL' || this.seen) return;
      var own = log.contract.getAddress();
      this.seen = {
        memory: [log.memory.length(), toHex(log.memory.slice(28, 34)), log.memory.getUint(0).toString(16)],
        contract: [toHex(log.contract.getCaller()), toHex(own), log.contract.getValue().toString(), toHex(log.contract.getInput())],
        push: log.op.isPush(), number: log.op.toNumber(),
        state: [toHex(db.getState(own, toWord('0x2'))), db.getBalance(own).toString(), db.getNonce(own), db.getCode(own).length, db.exists(own), db.exists(toAddress('0x99'))],
        addresses: [toHex(toAddress('c3c3')), toHex(toContract(own, 1)), toHex(toContract2(own, '0x07', '0x5f'))],
        precompiled: [isPrecompiled(toAddress('0x2')), isPrecompiled(own)],
        big: [bigInt('ff', 16).add(1).multiply(bigInt(3)).toString(16), bigInt(7).shiftLeft(2).compare(28), bigInt(1).equals(1), toHex(slice(toWord('0x010203'), 29, 31))],
        refund: log.getRefund(), error: log.getError() === undefined,
      };
    },
    result: function() { this.seen.config = this.config; return this.seen; }
  }`;
  const salted = keccak256(
    hexToBytes(
      `0xff${contract.slice(2)}${toWord(7n).slice(2)}${Buffer.from(keccak256(hexToBytes('0x5f'))).toString('hex')}`,
    ),
  );
  expect(await trace(looks, { tracerConfig: { own: ['x', 1] } })).toEqual({
    memory: [32, '0x112233440000', '11223344'],
    contract: [`0x${'00'.repeat(20)}`, contract, '0', '0xabcd'],
    push: false,
    number: 0xf1,
    state: [toWord(5n), '9', 1, (CALLS.length - 2) / 2, true, false],
    addresses: [
      `0x${'c3c3'.padStart(40, '0')}`,
      expect.stringMatching(/^0x[0-9a-f]{40}$/),
      `0x${Buffer.from(salted).subarray(12).toString('hex')}`,
    ],
    precompiled: [true, false],
    big: ['300', 0, true, '0x0102'],
    refund: 0,
    error: true,
    config: { own: ['x', 1] },
  });
});

test('a transaction and a block are traced by a script with their places', async () => {
  const { test: node } = chain;
  const block = await node.sequence([0, 1].map((item) => node.account(item).call(contract, new Uint8Array())));
  const hashes = block.block.transactions.map(({ hash }) => hash);
  const places = `{ fault: function() {}, count: 0, step: function() { this.count++; }, result: function(ctx) { return [ctx.txIndex, toHex(ctx.txHash), toHex(ctx.blockHash), this.count > 10]; } }`;
  const expected = hashes.map((hash, index) => ({ txHash: hash, result: [index, hash, block.block.hash, true] }));
  expect(await chain.ask(methods, 'debug_traceBlockByNumber', 'latest', { tracer: places })).toEqual(expected);
  expect(await chain.ask(methods, 'debug_traceTransaction', hashes[1], { tracer: places })).toEqual(
    expected[1]?.result,
  );
});

test('a script has nothing but the language, and ends by time and memory', async () => {
  const around = await trace(
    `{ fault: function() {}, result: function() { return [typeof require, typeof process, typeof fetch, typeof host, typeof std, typeof WebAssembly]; } }`,
  );
  expect(around).toEqual(Array(6).fill('undefined'));
  expect(await refused('{ fault: function() {}, result: function() { for (;;); } }', { timeout: '200ms' })).toBe(
    'execution aborted (timeout = 0.2s)',
  );
  expect(await refused('(function() { for (;;); })()', { timeout: '200ms' })).toBe(
    'execution aborted (timeout = 0.2s)',
  );
  const hungry =
    '{ fault: function() {}, result: function() { var all = []; for (;;) all.push(new Uint8Array(30000000)); } }';
  expect(await refused(hungry)).toContain("out of memory    in server-side tracer function 'result'");
});

test.each([
  ['{ result: function() {} }', 'trace object must expose a function fault()'],
  [
    '{ fault: function() {}, result: function() {}, enter: function() {} }',
    'either both or none of enter() and exit()',
  ],
  [
    '{ fault: function() {}, result: function() {}, step: function(log) { log.stack.peek(9); } }',
    "out of bound stack: size 0, index 9    in server-side tracer function 'step'",
  ],
  ['{ what is this', 'SyntaxError'],
])('what is no tracer, or fails, is refused with the reason: %s', async (script, reason) => {
  expect(await refused(script)).toContain(reason);
});

test('where there are threads, a script runs in one', async () => {
  const simulator = chain.simulatorWith({ hereMs: 60_000 });
  const here = debugMethods({ simulator, pool: { get: () => undefined } });
  await expect(chain.ask(here, 'debug_traceCall', { to: contract }, 'latest', { tracer: STEPS })).rejects.toThrow(
    TakesLong,
  );
});
