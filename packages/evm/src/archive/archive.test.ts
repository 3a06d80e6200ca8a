import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { code, deploying, POINT_EVALUATION } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import {
  asList,
  decodeRlp,
  encodeRlp,
  hexToBytes,
  keccakHex,
  type RlpTree,
  toWord,
} from '@switchyard/protocol/ethereum';
import { createMetrics, loadConfig, silentLogger } from '@switchyard/service';
import { rpcContext } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBlock } from '../blocks/block.ts';
import { hashHeader } from '../blocks/header.ts';
import type { Database } from '../database/database.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { parseArchiveGenesis } from '../genesis/archive-genesis.ts';
import { nextBaseFee } from '../rules/rules.ts';
import { words } from '../testing/contracts.ts';
import { History, historyChain, historyGenesis } from '../testing/history.ts';
import { testChain } from '../testing.ts';
import { type Imported, importBlocks, openArchive } from './archive.ts';
import { type FileBlock, readBlocksFile } from './blocks-file.ts';
import { archiveFields } from './config.ts';
import { archiveMethods } from './read-only.ts';
import { runArchive } from './run.ts';
import { SUITE } from './testing/conformance-files.ts';
import { exportBlocks } from './testing/export-blocks.ts';

const genesis = readFileSync(`${SUITE}genesis.json`, 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'evm-archive-'));
const blocks: Uint8Array[] = [];
/** With two blocks. */
const begun = openMemoryDatabase();
beforeAll(async () => {
  for await (const { bytes } of readBlocksFile(`${SUITE}chain.rlp`)) blocks.push(bytes);
  await importInto(begun, blocks.slice(0, 2));
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

async function* given(list: readonly Uint8Array[]): AsyncGenerator<{ readonly bytes: Uint8Array }> {
  for (const bytes of list) yield { bytes };
}

function importInto(database: Database, list: readonly Uint8Array[]): Promise<Imported> {
  return importBlocks(openArchive(database, genesis), given(list));
}

/** A block with a field of its header replaced. */
function changed(block: Uint8Array | undefined, field: number, value: Uint8Array): Uint8Array {
  const [header, ...body] = asList(decodeRlp(block ?? new Uint8Array()));
  const fields: RlpTree[] = [...asList(header)];
  fields[field] = value;
  return encodeRlp([fields, ...body]);
}

test('an import resumes where the last one ended, and passes over what is there', async () => {
  const database = openMemoryDatabase();
  expect(await importInto(database, blocks.slice(0, 1))).toEqual({ blocks: 1, head: 1n });
  expect(await importInto(database, blocks.slice(0, 2))).toEqual({ blocks: 1, head: 2n });
  const { chain } = openArchive(database);
  expect([...exportBlocks(chain, 1n, 2n)].map(hex)).toEqual(blocks.slice(0, 2).map(hex));
}, 30_000);

test.each([
  ['state root', 3, 32, /^block 3: state root: expected 0x/],
  ['receipts root', 5, 32, /^block 3: receipts root: expected 0x/],
  ['transactions root', 4, 32, /^block 3: transactions root: expected 0x/],
  ['parent', 0, 32, /^block 3: parent hash: expected 0x/],
  ['difficulty', 7, 1, /^block 3: difficulty: expected/],
  ['time', 11, 1, /^block 3: time: expected later than 20, got 7/],
  ['gas used', 10, 1, /^block 3: gas used: expected \d+, got 7/],
  ['gas limit', 9, 9, /^block 3: gas limit: 129\d+, at most 2\^63 - 1/],
  ['extra data', 12, 33, /^(block 3|after block 2): .*extra ?data/i],
  ['number', 8, 1, /^block 7: number: expected 3, got 7|parent hash/],
])(
  'a block with a wrong %s is refused, and those before it are kept',
  async (_, field, length, message) => {
    const wrong = changed(blocks[2], field, new Uint8Array(length).fill(7));
    await expect(importInto(begun, [...blocks.slice(0, 2), wrong])).rejects.toThrow(message);
    expect(openArchive(begun).chain.heads.latest).toBe(2n);
  },
  30_000,
);

test('bytes that are no block are refused with their place', async () => {
  await expect(importInto(begun, [Uint8Array.of(0xc1, 0x80)])).rejects.toThrow(/^after block 2: /);
  await expect(importInto(begun, blocks.slice(3, 4))).rejects.toThrow('block 4: parent hash: expected');
});

test('another chain does not get into an archive', async () => {
  const other = genesis.replace('"gasLimit": "0x5f5e100"', '"gasLimit": "0x5f5e101"');
  expect(() => openArchive(begun, other, 'other.json')).toThrow(
    /other.json: expected the genesis with block 0 0x\w+, as the archive has it, got 0x/,
  );
  const sameNumber = changed(blocks[0], 13, new Uint8Array(32).fill(1));
  await expect(importInto(begun, [sameNumber])).rejects.toThrow('block 1: the archive has another block');
});

test('an archive needs a genesis, and a database of its own', async () => {
  expect(() => openArchive(openMemoryDatabase(), undefined, 'FILE')).toThrow('no archive is there yet');
  const { database } = await testChain();
  expect(() => openArchive(database, genesis, 'genesis.json')).toThrow('expected an empty database');
});

test.each([
  ['no text', '', /genesis.json: expected JSON/],
  ['a wrong number', genesis.replace('"0x5f5e100"', '"many"'), /genesis.json:58: gasLimit: expected a number/],
  [
    'a chain id that is none',
    genesis.replace(/"chainId": *\d+/, '"chainId": 1.5'),
    /config.chainId: expected a number/,
  ],
  [
    'an unknown key',
    genesis.replace('"nonce"', '"nonse"'),
    /genesis.json:55: nonse: expected a known key, such as "nonce"/,
  ],
  [
    'an unknown fork in the blob schedule',
    genesis.replace('"bpo2":', '"bpo9":'),
    /genesis.json:48: config.blobSchedule.bpo9: expected a fork/,
  ],
])('a genesis with %s is refused in one line', (_, text, message) => {
  expect(() => parseArchiveGenesis(text, 'genesis.json')).toThrow(message);
});

// Defect: an archive rounded chain ids above 2^53
test.each([9_007_199_254_740_993n, 2n ** 64n - 1n])('the chain id %i has all its digits', (chainId) => {
  const text = genesis.replace(/"chainId": *\d+/, `"chainId": ${chainId}`);
  const read = parseArchiveGenesis(text, 'genesis.json');
  expect([read.chainId, read.rules(0n, 0n).chainId]).toEqual([chainId, chainId]);
});

test('the rules of a block are those of its number and time', () => {
  const { rules } = parseArchiveGenesis(genesis, 'genesis.json');
  const forks = [rules(0n, 0n), rules(9n, 90n), rules(35n, 350n), rules(36n, 360n), rules(45n, 450n), rules(60n, 540n)];
  expect(forks.map(({ fork }) => fork)).toEqual(['homestead', 'byzantium', 'london', 'paris', 'prague', 'osaka']);
  expect(forks.map(({ bombDelay }) => bombDelay / 100_000n)).toEqual([0n, 30n, 114n, 114n, 114n, 114n]);
  expect([rules(55n, 510n).blobs.max, rules(60n, 540n).blobs.max]).toEqual([15, 21]);
});

test('a chain of Paris whose terminal total difficulty is 0 has no proof of work', async () => {
  const { alloc, config, ...rest } = JSON.parse(genesis);
  const until = Object.fromEntries(Object.entries(config).filter(([name]) => !name.endsWith('Time')));
  const forks = Object.fromEntries(Object.keys(until).map((name) => [name, name.endsWith('Block') ? 0 : until[name]]));
  const merged = { ...forks, mergeNetsplitBlock: undefined, terminalTotalDifficulty: 0 };
  const paris = JSON.stringify({ ...rest, alloc, config: merged });
  const archive = openArchive(openMemoryDatabase(), paris);
  const first = archive.chain.header(0n);
  if (first === undefined) throw new Error('no block 0');
  const { header } = first;
  const block = (difficulty: bigint) => {
    const changes = { number: 1n, timestamp: header.timestamp + 1n, gasUsed: 0n, nonce: '0x0000000000000000' } as const;
    const next = { ...header, ...changes, parentHash: first.hash, difficulty, baseFeePerGas: nextBaseFee(header) };
    return encodeBlock({ hash: hashHeader(next), header: next, transactions: [], withdrawals: [], size: 0 });
  };
  await expect(importBlocks(archive, given([block(131_072n)]))).rejects.toThrow(
    'block 1: difficulty: expected 0, got 131072',
  );
  expect(await importBlocks(archive, given([block(0n)]))).toEqual({ blocks: 1, head: 1n });
});

test('the chain of a rollup node is a chain like any other: what it exports is imported and gives the same blocks', async () => {
  const rollup = await historyChain();
  const history = new History(7, rollup.accounts);
  for (let number = 1n; number <= 6n; number++) {
    const { entries, timestamp } = history.block(number, rollup.chain.state(number - 1n));
    await rollup.sequence(entries, { seconds: timestamp.seconds });
  }
  const archive = openArchive(openMemoryDatabase(), historyGenesis());
  expect(archive.chain.findHash(0n)).toBe(rollup.chain.findHash(0n));
  expect(await importBlocks(archive, given([...exportBlocks(rollup.chain, 0n, 6n)]))).toEqual({ blocks: 6, head: 6n });
  for (let number = 1n; number <= 6n; number++) {
    expect(archive.chain.block(number)).toEqual(rollup.chain.block(number));
    expect(archive.chain.receipts(number)).toEqual(rollup.chain.receipts(number));
  }
}, 30_000);

test('precompiled contracts answer in an archive as they did in the block', async () => {
  const rollup = await historyChain();
  const exponent = new Uint8Array(2_000).fill(0xff);
  const modulus = hexToBytes('0xffffffffffffffc5');
  const power = Buffer.concat([words(1n, 2_000n, 8n), Uint8Array.of(3), exponent, modulus]);
  const contract = (digit: string): Address => `0x${digit.padStart(40, '0')}`;
  await rollup.sequence([
    rollup.account(0).call(contract('a'), POINT_EVALUATION, { gasLimit: 100_000n }),
    rollup.account(1).call(contract('a'), POINT_EVALUATION.subarray(1), { gasLimit: 100_000n }),
    rollup.account(2).call(contract('5'), power, { gasLimit: 200_000n }),
  ]);
  expect(rollup.chain.receipts(1n)?.map(({ status }) => status)).toEqual([1, 0, 1]);
  const archive = openArchive(openMemoryDatabase(), historyGenesis());
  expect(await importBlocks(archive, given([...exportBlocks(rollup.chain, 0n, 1n)]))).toEqual({ blocks: 1, head: 1n });
  expect(archive.chain.receipts(1n)).toEqual(rollup.chain.receipts(1n));
}, 30_000);

test('an archive lists the slots of a contract', async () => {
  const rollup = await historyChain();
  /** Keeps 7 in slot 0. */
  const stores = code(7, 0, 'sstore', 'stop');
  const { receipts } = await rollup.sequence([rollup.account(0).deploy(hexToBytes(deploying(stores)))]);
  const contract = receipts[0]?.contractAddress ?? '0x';
  await rollup.sequence([rollup.account(0).call(contract, new Uint8Array())]);
  await rollup.sequence([rollup.account(0).transfer(contract, 0n)]);
  const archive = openArchive(openMemoryDatabase(), historyGenesis());
  await importBlocks(archive, given([...exportBlocks(rollup.chain, 0n, 3n)]));
  const calls = { gasCap: 1_000_000n, timeoutMs: 60_000 };
  const methods = archiveMethods(archive, { log: silentLogger, calls });
  const params = ['latest', 0, contract, toWord(0n), 5];
  expect(await methods.debug_storageRangeAt?.(params, rpcContext())).toMatchObject({
    storage: { [keccakHex(new Uint8Array(32))]: { key: toWord(0n), value: toWord(7n) } },
    nextKey: null,
  });
}, 30_000);

const fileWith = (...parts: readonly Uint8Array[]): string => {
  const path = join(directory, 'blocks.rlp');
  writeFileSync(path, Buffer.concat(parts));
  return path;
};

async function readAll(path: string): Promise<FileBlock[]> {
  const found: FileBlock[] = [];
  for await (const block of readBlocksFile(path)) found.push(block);
  return found;
}

test('a file of blocks is read whole, and what is wrong in it is named with its place', async () => {
  const [first = new Uint8Array(), second = new Uint8Array()] = blocks;
  const large = encodeRlp([new Uint8Array(3_000_000)]);
  expect((await readAll(fileWith(first, large, second))).map(({ offset, bytes }) => [offset, bytes.length])).toEqual([
    [0, first.length],
    [first.length, large.length],
    [first.length + large.length, second.length],
  ]);
  expect(await readAll(fileWith())).toEqual([]);
  await expect(readAll(fileWith(first, second.subarray(0, 40)))).rejects.toThrow(
    `the file ends inside the block that begins at byte ${first.length}`,
  );
  await expect(readAll(fileWith(first, Uint8Array.of(0x01)))).rejects.toThrow(
    `no block begins at byte ${first.length}`,
  );
  await expect(readAll(fileWith(Uint8Array.of(0xfb, 0xff, 0xff, 0xff, 0xff)))).rejects.toThrow(
    'claims 4294967295 bytes',
  );
});

test('an archive is imported from files and answers from then on, also without them', async () => {
  const closers: (() => Promise<void> | void)[] = [];
  const context = {
    log: silentLogger,
    signal: new AbortController().signal,
    metrics: createMetrics('test_'),
    fail: (error: unknown) => expect.unreachable(String(error)),
    defer: (close: () => Promise<void> | void) => void closers.unshift(close),
  };
  const values = (env: Record<string, string>) =>
    loadConfig(archiveFields, {
      SVC_EVM_ARCHIVE_DB_FILEPATH: join(directory, 'db'),
      SVC_EVM_ARCHIVE_HTTP_ADDR: '127.0.0.1:0',
      ...env,
    });
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0)) await each();
  };
  const files = {
    SVC_EVM_ARCHIVE_GENESIS_FILEPATH: `${SUITE}genesis.json`,
    SVC_EVM_ARCHIVE_BLOCKS_FILEPATH: fileWith(...blocks.slice(0, 2)),
  };
  expect(await runArchive(values({ ...files, SVC_EVM_ARCHIVE_SERVE: 'false' }), context)).toBeUndefined();
  await close();
  const url = await runArchive(values({}), context);
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(url ?? '', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return answer.json();
  };
  expect(await ask('eth_blockNumber')).toMatchObject({ result: '0x2' });
  expect(await ask('eth_sendRawTransaction', '0x00')).toMatchObject({ error: { code: -32_000 } });
  await close();
}, 30_000);

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
