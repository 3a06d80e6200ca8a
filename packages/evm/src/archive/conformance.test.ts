import { readFileSync } from 'node:fs';
import { keccakHex } from '@switchyard/protocol/ethereum';
import { RPC, silentLogger, systemClock } from '@switchyard/service';
import { rpcContext } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { transactionCheck } from '../pool/check.ts';
import { createPool } from '../pool/create-pool.ts';
import { embeddedPoolChain } from '../pool/embedded-chain.ts';
import { openPoolStore } from '../pool/store.ts';
import { rpcServer } from '../rpc/server.ts';
import { Senders } from '../senders/senders.ts';
import { type Archive, importBlocks, openArchive } from './archive.ts';
import { readBlocksFile } from './blocks-file.ts';
import { archiveMethods } from './read-only.ts';
import { type Answer, conformanceFiles, SUITE } from './testing/conformance-files.ts';
import { DIFFERENCES } from './testing/differences.ts';
import { exportBlocks } from './testing/export-blocks.ts';

const stop = new AbortController();
let archive: Archive;
let server: ReturnType<typeof rpcServer>;

beforeAll(async () => {
  archive = openArchive(openMemoryDatabase(), readFileSync(`${SUITE}genesis.json`, 'utf8'));
  await importBlocks(archive, readBlocksFile(`${SUITE}chain.rlp`));
  const pool = acceptingPool(archive);
  void pool.work(stop.signal);
  const calls = { gasCap: 50_000_000n, timeoutMs: 60_000 };
  const methods = archiveMethods(archive, { log: silentLogger, calls, pool });
  server = rpcServer({ methods, log: silentLogger, clock: systemClock });
}, 240_000);
afterAll(() => stop.abort());

/** The pool of a rollup node, over a composer that takes everything. */
function acceptingPool({ chain, database, genesis }: Archive) {
  const senders = new Senders();
  const gasLimit = chain.header(chain.heads.latest)?.header.gasLimit ?? 0n;
  return createPool({
    chain: embeddedPoolChain(chain, 1n),
    check: transactionCheck(
      () => ({ chainId: genesis.chainId, gasLimit, fork: 'cancun' }),
      (tx) => senders.of(tx),
    ),
    findHash: keccakHex,
    collector: {
      detectsCopies: true,
      submitBatch: async () => [],
      sequencerBlock: async () => undefined,
      submission: async () => undefined,
      submissions: async () => [],
      async *pending() {},
    },
    store: openPoolStore(database),
    log: silentLogger,
  });
}

async function call(text: string): Promise<Answer> {
  // The request is that of the suite's client; the server's answer is JSON.
  const { id, method, params } = JSON.parse(text) as { id: number; method: string; params?: unknown };
  return JSON.parse((await server.call(id, method, params, rpcContext())).text) as Answer;
}

const files = conformanceFiles();

test.each(files.filter(({ name }) => DIFFERENCES[name] === undefined))(
  '$name',
  async ({ exchanges, formOnly }) => {
    for (const { request, answer } of exchanges) {
      const got = await call(request);
      expect(formOnly ? getForm(got) : got).toEqual(formOnly ? getForm(answer) : answer);
    }
  },
  30_000,
);

test.each(Object.entries(DIFFERENCES))('%s differs, as documented', async (name, { kind }) => {
  const file = files.find((each) => each.name === name);
  const exchange = file?.exchanges.find(({ request }) => request.includes(name.slice(0, name.indexOf('/'))));
  const got = await call(exchange?.request ?? '');
  expect(got).not.toEqual(exchange?.answer);
  const code = kind === 'absent' ? RPC.methodNotFound : kind === 'refused' ? -32_000 : exchange?.answer.error?.code;
  expect(got.error?.code).toBe(code);
});

test('the suite is the one that the page describes, and the page names every difference', () => {
  const page = readFileSync(new URL('../../../../docs/explanation/evm-conformance.md', import.meta.url), 'utf8');
  expect(page).toContain(`${files.length} files`);
  for (const name of Object.keys(DIFFERENCES)) expect(page).toContain(`\`${name}\``);
});

test('what is exported are the bytes that were imported', () => {
  const exported = Buffer.concat([...exportBlocks(archive.chain, 1n, archive.chain.heads.latest)]);
  expect(exported.equals(readFileSync(`${SUITE}chain.rlp`))).toBe(true);
});

/** Names of the answer's members and of those of its result, and the kinds of their values. */
function getForm(value: unknown, depth = 2): unknown {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (depth === 0) return 'an object';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, getForm(member, depth - 1)]));
}
