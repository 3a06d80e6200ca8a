import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address, Data } from '@switchyard/evm-machine/types';
import { hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { silentLogger, systemClock } from '@switchyard/service';
import { JsonBytes } from '@switchyard/service/json-rpc';
import { rpcContext } from '@switchyard/service/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../database/lmdb.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import { simulatorMethods } from '../rpc/call/all-methods.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { feeHistories } from '../rpc/fee-methods.ts';
import { logQueries } from '../rpc/log-methods.ts';
import { serveRpc } from '../rpc/serve.ts';
import { rulesAt } from '../simulate/environment.ts';
import { EvmSimulator } from '../simulate/evm-simulator.ts';
import { bundledWorker } from '../testing/bundled-worker.ts';
import { type TestChain, testChain } from '../testing.ts';
import { type CallThreads, type CallThreadsOptions, openCallThreads } from './call-threads.ts';
import { longInThreads } from './in-threads.ts';

/** Keeps its first word in slot 1; returns its old value. */
const KEEPS = code(1, 'sload', 0, 'mstore', 0, 'calldataload', 1, 'sstore', 32, 0, 'return');
const FOREVER = code('jumpdest', 0, 'jump');
/** A stack that becomes as deep as it can: a trace of 36 MB. */
const DEEP = code(...Array.from({ length: 1_020 }, () => ({ raw: `0x7f${'ff'.repeat(32)}` as const })), 'stop');
const BOUNDS = { gasCap: 30_000_000n, timeoutMs: 30_000 };
const LOGS = { maxLogs: 1_000, maxBlockRange: 0, queryTimeoutMs: 5_000 };
const program = await bundledWorker('threads/worker.js');

const directory = mkdtempSync(join(tmpdir(), 'evm-threads-'));
/** Mapped again with every block. */
const database = openDatabase(directory, { residentBytes: 1 });
let chain: TestChain;
let methods: RpcMethods;
let getMethods: (hereMs?: number) => RpcMethods;
/** Methods that leave long calls to threads. */
let brief: RpcMethods;
let keeps: Address;
let forever: Address;
const opened: CallThreads[] = [];

beforeAll(async () => {
  chain = await testChain({ database });
  const { receipts } = await chain.sequence([
    chain.account(0).deploy(hexToBytes(deploying(KEEPS))),
    chain.account(0).deploy(hexToBytes(deploying(FOREVER))),
  ]);
  [keeps = '0x', forever = '0x'] = receipts.map(({ contractAddress }) => contractAddress ?? '0x');
  await chain.sequence([chain.account(0).call(keeps, hexToBytes(toWord(5n)))]);
  const simulatorOn = (hereMs?: number) =>
    new EvmSimulator(
      { ...BOUNDS, hereMs },
      {
        chain: chain.chain,
        rules: rulesAt(chain.chain.chainId, chain.genesis.forks),
        stateRoot: (block, changes) => chain.state.rootWith(block, changes),
        slotsEver: (address) => chain.state.slotsEver(address),
      },
    );
  const pool = { get: () => undefined, nextNonce: () => 0n };
  const index = new AddressIndex(database);
  getMethods = (hereMs) => {
    const simulator = simulatorOn(hereMs);
    const queries = { chain: chain.chain, clock: systemClock, bounds: LOGS, hereMs };
    const own = { ...logQueries(queries), ...feeHistories(queries) };
    return { ...simulatorMethods({ simulator, pool }), ...explorerMethods({ simulator, index }), ...own };
  };
  methods = getMethods();
  brief = getMethods(5);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((threads) => threads.close()));
});

afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

function threadsWith(options: Partial<CallThreadsOptions> = {}): CallThreads {
  const { forks } = chain.genesis;
  const data = {
    directory,
    chainId: chain.chain.chainId,
    forks,
    safe: 'soft',
    simulator: BOUNDS,
    bounds: LOGS,
  } as const;
  const threads = openCallThreads({ program, data, log: silentLogger, count: 1, ...options });
  opened.push(threads);
  return threads;
}

/** JSON of the result, or code and message of the error. */
async function getOutcome(answer: () => unknown): Promise<unknown> {
  try {
    const result = await answer();
    return result instanceof JsonBytes ? parsed(result) : JSON.parse(JSON.stringify(result));
  } catch (error) {
    const { code: number, rpcMessage, data } = Object(error);
    return { number, rpcMessage, data };
  }
}

const parsed = ({ pieces }: JsonBytes): unknown => JSON.parse(Buffer.concat(pieces).toString());
const bytes = (json: string) => new JsonBytes([Buffer.from(json)]);

test('a thread answers as the node does, to the block that came last', async () => {
  const threads = threadsWith();
  const call = { to: keeps, input: toWord(9n) };
  const last = () => chain.chain.block(chain.chain.heads.latest)?.transactions[0]?.hash;
  const overridden = { [keeps]: { stateDiff: { [toWord(1n)]: toWord(8n) } } };
  for (let round = 0; round < 3; round += 1) {
    const wanted: readonly (readonly [string, readonly unknown[]])[] = [
      ['eth_call', [call]],
      ['eth_call', [call, '0x1']],
      ['eth_call', [call, 'latest', overridden]],
      ['eth_call', [call, '0xffff']],
      ['eth_call', [{ from: `0x${'99'.repeat(20)}`, to: keeps, value: '0x1' }]],
      ['eth_call', ['nothing']],
      ['eth_estimateGas', [call]],
      ['eth_estimateGas', [{ to: forever, gas: '0xffff' }]],
      ['eth_createAccessList', [call]],
      ['eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }, { calls: [call] }] }]],
      ['debug_traceTransaction', [last()]],
      ['debug_traceBlockByNumber', ['latest', { tracer: 'prestateTracer' }]],
      ['debug_traceCall', [call, 'latest', { tracer: 'callTracer' }]],
      ['trace_block', ['latest']],
      ['trace_call', [call, ['trace', 'stateDiff', 'vmTrace']]],
      ['ots_traceTransaction', [last()]],
      ['eth_getLogs', [{ fromBlock: '0x0' }]],
      ['eth_feeHistory', ['0x5', 'latest', [50]]],
    ];
    for (const [name, params] of wanted) {
      const here = await getOutcome(() => methods[name]?.(params, rpcContext()));
      expect([name, await getOutcome(() => threads.answer(name, params))]).toEqual([name, here]);
    }
    await chain.sequence([chain.account(0).call(keeps, hexToBytes(toWord(100n + BigInt(round))))]);
  }
});

test('what is short is answered where it is asked, what is long in a thread', async () => {
  const moved: string[] = [];
  const threads: CallThreads = {
    async answer(method) {
      moved.push(method);
      return bytes('"from a thread"');
    },
    close: async () => undefined,
  };
  const here = longInThreads(brief, threads);
  expect(await here.eth_call?.([{ to: keeps }], rpcContext())).toMatch(/^0x/);
  expect(moved).toEqual([]);
  expect(await here.eth_call?.([{ to: forever }], rpcContext())).toEqual(bytes('"from a thread"'));
  expect(await here.eth_estimateGas?.([{ to: forever }], rpcContext())).toEqual(bytes('"from a thread"'));
  expect(moved).toEqual(['eth_call', 'eth_estimateGas']);
});

// Defect: Memory of a trace was formatted on the first thread before it was counted
test('an answer longer than the first thread makes is made in a thread, however quickly', async () => {
  const moved: unknown[] = [];
  const threads: CallThreads = {
    async answer(_, params) {
      moved.push(params);
      return bytes('"from a thread"');
    },
    close: async () => undefined,
  };
  const here = longInThreads(getMethods(60_000), threads);
  const trace = (instructions: Data, options: object = {}) =>
    here.debug_traceCall?.(
      [{ to: keeps }, 'latest', { stateOverrides: { [keeps]: { code: instructions } }, ...options }],
      rpcContext(),
    );
  const memory = code(1, 200_000, 'mstore', 1, 'pop');
  await trace(memory);
  expect(moved).toEqual([]);
  await trace(memory, { enableMemory: true });
  await trace(DEEP);
  expect(moved).toHaveLength(2);
});

// Defect: Large traces of one address were cut off when it asked for anything else
test('traces that are long together arrive whole, at the pace of a reader who asks for more meanwhile', async () => {
  const threads = threadsWith({ count: 2 });
  const rpc = await serveRpc({
    methods: longInThreads({ ...getMethods(5), eth_chainId: () => '0x1' }, threads),
    http: { listen: { host: '127.0.0.1', port: 0 }, name: 'X' },
    log: silentLogger,
    clock: systemClock,
  });
  try {
    const ask = (method: string, params: readonly unknown[]) =>
      fetch(rpc.http.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
    const call = [{ to: keeps }, 'latest', { stateOverrides: { [keeps]: { code: DEEP } } }];
    // Their headers are here, and their bodies are not read.
    const traces = await Promise.all([ask('debug_traceCall', call), ask('debug_traceCall', call)]);
    expect(await (await ask('eth_chainId', [])).json()).toMatchObject({ result: '0x1' });
    for (const each of traces) {
      const { result } = Object(await each.json());
      expect(result.structLogs).toHaveLength(1_021);
    }
  } finally {
    await rpc.close();
  }
});

test('long calls end by their gas, several in one thread, while blocks are written and the file is mapped anew', async () => {
  const threads = threadsWith();
  const reads = code(
    { raw: '0x6300004e20' },
    'jumpdest',
    1,
    'sload',
    'pop',
    1,
    { raw: '0x9003' },
    { raw: '0x80' },
    5,
    'jumpi',
    1,
    'sload',
    0,
    'mstore',
    32,
    0,
    'return',
  );
  const expected = await getOutcome(() => methods.eth_call?.([{ to: keeps, input: toWord(0n) }], rpcContext()));
  const call = { to: keeps, gas: '0x1c9c380' };
  const answers = Array.from({ length: 4 }, () =>
    getOutcome(() => threads.answer('eth_call', [call, 'latest', { [keeps]: { code: reads } }])),
  );
  const ends = getOutcome(() => threads.answer('eth_call', [{ to: forever, gas: '0x4c4b40' }]));
  let written = 0;
  let isOver = false;
  const done = Promise.all([...answers, ends]).then((all) => {
    isOver = true;
    return all;
  });
  // The first call of the thread may begin after the first of these blocks, so they leave the slot alone.
  while (!isOver) {
    await chain.sequence([chain.account(1).transfer(keeps, 0n)]);
    written += 1;
    await new Promise(setImmediate);
  }
  const [first, second, third, fourth, last] = await done;
  expect([first, second, third, fourth]).toEqual([expected, expected, expected, expected]);
  expect(last).toMatchObject({ number: -32_000, rpcMessage: 'out of gas' });
  expect(written).toBeGreaterThan(0);
});

/** A thread that does this with each message. */
const doing = (body: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; parentPort.on('message', (call) => { ${body} });`)}`,
  );

test('a thread that runs out of memory is replaced, and what it was asked gets one clear error', async () => {
  const program = doing('const all = []; for (;;) all.push(new Array(10_000).fill(0.5));');
  const threads = threadsWith({ program, maxHeapMb: 16 });
  const clear = { number: -32_000, rpcMessage: expect.stringContaining('needed more than 16 MB') };
  const wanted = ['eth_call', 'trace_call'].map((name) => getOutcome(() => threads.answer(name, [])));
  expect(await Promise.all(wanted)).toMatchObject([clear, clear]);
  expect(await getOutcome(() => threads.answer('eth_call', []))).toMatchObject(clear);
});

// Defect: EVM: others waited for a flood of calls
test('calls wait in turn for a thread; one whose client has gone is not begun, and too many are refused', async () => {
  const begun: unknown[] = [];
  const program = doing(
    'if (call.params[0] === "long") Atomics.wait(new Int32Array(call.params[1]), 0, 0); parentPort.postMessage({ pieces: [Uint8Array.of(49)] });',
  );
  const threads = threadsWith({ program, maxWaiting: 3, maxWaitingOfClient: 2 });
  const end = new Int32Array(new SharedArrayBuffer(4));
  const ask = (peer: string, params: readonly unknown[], isOver = () => false) => {
    const { from } = rpcContext({ peer });
    return getOutcome(async () => {
      const answer = await threads.answer('eth_call', params, { from, isOver });
      begun.push(params[0]);
      return answer;
    });
  };
  const long = ask('greedy', ['long', end.buffer]);
  const waiting = [ask('greedy', ['second']), ask('gone', ['gone'], () => true), ask('honest', ['honest'])];
  expect(await ask('other', ['other'])).toMatchObject({
    number: -32_005,
    rpcMessage: '3 long calls are waiting: try again later',
  });
  Atomics.store(end, 0, 1);
  Atomics.notify(end, 0);
  expect(await long).toBe(1);
  expect(await Promise.all(waiting)).toMatchObject([1, { rpcMessage: expect.any(String) }, 1]);
  expect(begun).toEqual(['long', 'second', 'honest']);
  const busy = Array.from({ length: 4 }, () => ask('greedy', ['short']));
  expect((await Promise.all(busy)).at(-1)).toMatchObject({
    number: -32_005,
    rpcMessage: '2 calls of greedy are waiting already: wait for answers before you ask for more',
  });
});

test('a thread that does not answer is ended', async () => {
  const threads = threadsWith({ program: doing('while (true);'), stuckMs: 50 });
  expect(await getOutcome(() => threads.answer('eth_call', []))).toMatchObject({
    rpcMessage: 'execution aborted: it has not ended within 0.05 s',
  });
});

test('a thread that throws or exits leaves no call without an answer', async () => {
  const broken = threadsWith({ program: doing('throw new Error("broken");') });
  await expect(broken.answer('eth_call', [])).rejects.toThrow('broken');
  const ending = threadsWith({ program: doing('process.exit(3);') });
  await expect(ending.answer('eth_call', [])).rejects.toThrow('ended with code 3');
});

test('a thread without work ends, and another one takes its place', async () => {
  const program = doing(
    'globalThis.count = (globalThis.count ?? 0) + 1; parentPort.postMessage({ pieces: [new TextEncoder().encode(globalThis.count)] });',
  );
  const lasting = threadsWith({ program, idleMs: 60_000 });
  expect([parsed(await lasting.answer('a', [])), parsed(await lasting.answer('a', []))]).toEqual([1, 2]);
  const brief = threadsWith({ program, idleMs: 1 });
  await brief.answer('a', []);
  for (;;) {
    // Each question sets the time again, so that the wait between them has to be longer.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (parsed(await brief.answer('a', [])) === 1) break;
  }
});

test('closing answers what is under way, and nothing after it', async () => {
  const threads = threadsWith();
  const call = threads.answer('eth_call', [{ to: forever }]);
  const refused = expect(call).rejects.toMatchObject({ rpcMessage: 'the node is stopping' });
  await threads.close();
  await refused;
  await expect(threads.answer('eth_call', [])).rejects.toMatchObject({ rpcMessage: 'the node is stopping' });
});
