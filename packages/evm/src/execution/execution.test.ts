import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { recoverSender } from '@switchyard/evm-machine/recover';
import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import { hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import type { BlockInput } from '@switchyard/rollup/execution';
import { type ExecutorFixture, executorSuite } from '@switchyard/rollup/executor-suite';
import type { Retention } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../database/lmdb.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { bundledWorker } from '../testing/bundled-worker.ts';
import { TestAccount, testChain, testGenesis, testInput } from '../testing.ts';
import { decodeTransaction } from '../transactions/transaction.ts';
import { executionInThread } from './in-thread.ts';

/** Keeps its first word in slot 1; returns its old value. */
const KEEPS = code(1, 'sload', 0, 'mstore', 0, 'calldataload', 1, 'sstore', 32, 0, 'return');
const program = await bundledWorker('execution/worker.js');
const EVERYTHING: Retention = { blocks: undefined, ageMs: undefined };

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Opened {
  readonly directory: string;
  readonly retention?: Retention;
  readonly residentBytes?: number;
  readonly program?: URL;
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'evm-execution-'));
  ends.push(async () => rmSync(directory, { recursive: true }));
  return directory;
}

/** A chain whose blocks a thread executes. */
function open({ directory, retention = EVERYTHING, residentBytes, ...options }: Opened) {
  const database = openDatabase(directory);
  const failures: Error[] = [];
  let recovered = 0;
  const execution = executionInThread({
    ...{
      genesis: testGenesis(),
      database,
      indexers: [new AddressIndex(database)],
      directory,
      safe: 'soft',
      retention,
      program,
    },
    ...(residentBytes !== undefined && { residentBytes }),
    async recover(signatures) {
      recovered += signatures.length;
      return signatures.map(recoverSender);
    },
    onFailure: (error) => failures.push(error),
    ...options,
  });
  const close = async () => {
    await execution.close();
    await database.close();
  };
  ends.push(close);
  return { ...execution, database, failures, recovered: () => recovered, close };
}

/** Executes the blocks of a chain in memory once more. @returns the inputs and their results. */
async function given() {
  const inputs: BlockInput[] = [];
  const chain = await testChain({ onInput: (input) => inputs.push(input) });
  const { account } = chain;
  const { receipts } = await chain.sequence([account(0).deploy(hexToBytes(deploying(KEEPS)))]);
  const keeps = receipts[0]?.contractAddress ?? '0x';
  for (let block = 1; block < 12; block += 1) {
    const transfers = chain.accounts.map((each, index) => each.transfer(account((index + block) % 10).address, 3n));
    const call = account(block % 10).call(keeps, hexToBytes(toWord(BigInt(block))));
    await chain.sequence([...transfers, call, new Uint8Array([9])]);
  }
  return { inputs, chain, keeps };
}

test('blocks of a thread, and all that is read of them here, are those of a chain that executes by itself', async () => {
  const { inputs, chain: expected, keeps } = await given();
  const { chain, executor, recovered } = open({ directory: newDirectory() });
  const published: bigint[] = [];
  chain.onCommit(({ blocks, heads }) => {
    for (const { block, receipts, refused } of blocks) {
      const { number } = block.header;
      published.push(number);
      expect([block, receipts, refused]).toEqual([
        expected.chain.block(number),
        expected.chain.receipts(number),
        expected.chain.refusedIn(number),
      ]);
    }
    expect(heads.latest).toBe(published.at(-1));
  });
  for (const input of inputs) {
    const { commitments } = await executor.state();
    await executor.executeBatch(commitments.soft.hash, [input], { firm: true });
    const { latest } = chain.heads;
    const there = expected.chain.state(latest);
    const here = chain.state(latest);
    for (const { address } of expected.accounts) expect(here.account(address)).toEqual(there.account(address));
    expect(here.storage(keeps, toWord(1n))).toBe(there.storage(keeps, toWord(1n)));
  }
  expect(published).toEqual(inputs.map((_, index) => BigInt(index + 1)));
  for (let number = 0n; number <= chain.heads.latest; number += 1n) {
    const [here, there] = [chain, expected.chain].map((each) => each.state(number).storage(keeps, toWord(1n)));
    expect([number, here]).toEqual([number, there]);
  }
  const proof = await chain.proof(5n, keeps, [toWord(1n)]);
  expect(proof).toEqual(expected.chain.proof(5n, keeps, [toWord(1n)]));
  expect(() => chain.state(chain.heads.latest + 1n)).toThrow('the newest is 12');
  await expect(Promise.resolve(chain.proof(99n, keeps, []))).rejects.toThrow('no state of block 99');
  // Few at a time are recovered by the thread itself.
  expect(recovered()).toBe(0);
});

// Defect: EVM: others waited for long executions
test('a state that was asked for stays what it was while blocks are written', async () => {
  const { inputs, chain: expected, keeps } = await given();
  const { chain, executor } = open({ directory: newDirectory() });
  const execute = async (some: readonly BlockInput[]) => {
    const { commitments } = await executor.state();
    await executor.executeBatch(commitments.soft.hash, some, { firm: true });
  };
  await execute(inputs.slice(0, 4));
  const state = chain.state(4n);
  const reading: (readonly [Address, unknown])[] = [];
  const executing = execute(inputs.slice(4));
  let isOver = false;
  void executing.then(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const { address } of expected.accounts)
      reading.push([address, chain.state(chain.heads.latest).account(address)]);
    await new Promise(setImmediate);
  }
  await executing;
  expect(reading.length).toBeGreaterThan(0);
  const there = expected.chain.state(4n);
  for (const { address } of expected.accounts) expect(state.account(address)).toEqual(there.account(address));
  expect(state.storage(keeps, toWord(1n))).toBe(there.storage(keeps, toWord(1n)));
});

test('senders that are found here are not looked for there, and many others are asked for', async () => {
  const expected = await testChain();
  const { chain, executor, senders, recovered } = open({ directory: newDirectory() });
  const transfers = Array.from({ length: 40 }, (_, nonce) =>
    expected.account(3).transfer(expected.account(4).address, 1n, { nonce: BigInt(nonce) }),
  );
  const input = testInput(
    1n,
    transfers.map((data) => ({ kind: 'sequencedData', data })),
  );
  for (const raw of transfers.slice(0, 20)) senders.of(decodeTransaction(raw));
  // They are on their way now, before the block.
  await new Promise(setImmediate);
  const { commitments } = await executor.state();
  await executor.executeBatch(commitments.soft.hash, [input], { firm: true });
  expect([recovered(), chain.block(1n)?.transactions.length]).toEqual([20, 40]);
});

test('what the other thread commits within a turn is read in the same turn', async () => {
  const directory = newDirectory();
  const database = openDatabase(directory);
  ends.push(() => database.close());
  const [table, key] = [database.table('chain'), Uint8Array.of(1)];
  database.write((writer) => writer.put(table, key, Uint8Array.of(7)));
  const committed = new Int32Array(new SharedArrayBuffer(4));
  const program = `
    import { workerData } from 'node:worker_threads';
    const { openDatabaseInThread } = await import(workerData.module);
    const database = openDatabaseInThread(workerData.directory);
    const table = database.table('chain');
    Atomics.wait(workerData.committed, 0, 0);
    database.write((writer) => writer.put(table, Uint8Array.of(1), Uint8Array.of(8)));
    await database.close();
    Atomics.store(workerData.committed, 0, 2);
    Atomics.notify(workerData.committed, 0);
  `;
  const module = new URL('../../dist/database/lmdb.js', import.meta.url).href;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    workerData: { directory, module, committed },
    execArgv: [],
  });
  const ended = once(worker, 'exit');
  expect(table.get(key)).toEqual(Uint8Array.of(7));
  Atomics.store(committed, 0, 1);
  Atomics.notify(committed, 0);
  Atomics.wait(committed, 0, 1);
  expect(Buffer.from(table.get(key) ?? [])).toEqual(Buffer.of(7));
  database.refresh();
  expect(Buffer.from(table.get(key) ?? [])).toEqual(Buffer.of(8));
  await ended;
});

test('the file is mapped anew by both threads, and read and written after it', async () => {
  const { inputs, chain: expected, keeps } = await given();
  const { chain, executor, database } = open({ directory: newDirectory(), residentBytes: Number.NEGATIVE_INFINITY });
  let remapped = 0;
  const remap = database.remap.bind(database);
  database.remap = (whileClosed) => {
    remapped += 1;
    remap(whileClosed);
  };
  for (const input of inputs) {
    const { commitments } = await executor.state();
    await executor.executeBatch(commitments.soft.hash, [input], { firm: true });
    const { latest } = chain.heads;
    expect(chain.state(latest).storage(keeps, toWord(1n))).toBe(
      expected.chain.state(latest).storage(keeps, toWord(1n)),
    );
  }
  expect(remapped).toBeGreaterThan(0);
  expect(chain.findHash(chain.heads.latest)).toBe(expected.chain.findHash(expected.chain.heads.latest));
});

test('blocks that retention deletes are gone here too', async () => {
  const { inputs } = await given();
  const { chain, executor } = open({
    directory: newDirectory(),
    retention: { blocks: 4n, ageMs: undefined, least: 1n },
  });
  for (const input of inputs) {
    const { commitments } = await executor.state();
    await executor.executeBatch(commitments.soft.hash, [input], { firm: true });
  }
  expect(chain.lowest).toBeGreaterThan(1n);
  expect(() => chain.block(1n)).toThrow(/^pruned history unavailable: block 1/);
});

test('a thread that ends is a failure of the node, and what it was asked gets an error', async () => {
  const broken = new URL('data:text/javascript,process.exit(3)');
  const { executor, failures } = open({ directory: newDirectory(), program: broken });
  await expect(executor.state()).rejects.toThrow('the thread that executes blocks ended with code 3');
  await eventually(() => failures.length > 0);
  expect(failures).toMatchObject([{ message: 'the thread that executes blocks has ended' }]);
  await expect((async () => executor.state())()).rejects.toThrow('ended with code 3');
});

executorSuite('embedded EVM in a thread', async (): Promise<ExecutorFixture> => {
  const directory = mkdtempSync(join(tmpdir(), 'evm-execution-'));
  const [rich = { address: '0x', privateKey: '0x' }] = DEV_ACCOUNTS;
  const fixed = new TestAccount(rich, { chainId: 1337n });
  let opened: ReturnType<typeof open> | undefined;
  const reopen = async () => {
    await opened?.close();
    opened = open({ directory });
    ends.pop();
    return opened.executor;
  };
  return {
    executor: await reopen(),
    reopen,
    input(number) {
      const transfers = [0n, 1n, 2n, 3n].map((nonce) => fixed.transfer(fixed.address, BigInt(number), { nonce }));
      const entries = transfers.map((data) => ({ kind: 'sequencedData' as const, data }));
      const timestamp = { seconds: BigInt(1_700_000_000 + number), nanos: 7 * number };
      return { ...testInput(BigInt(number), entries), timestamp };
    },
    async close() {
      await opened?.close();
      rmSync(directory, { recursive: true });
    },
  };
});
