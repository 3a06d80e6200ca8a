import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { collectorCalls } from '@switchyard/client';
import { type RollupId, txHashOf } from '@switchyard/protocol';
import { ownComposer, composer as wire } from '@switchyard/protocol/gen';
import { silentLogger } from '@switchyard/service';
import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { createComposer } from '../composer.ts';
import { createJournal, type Records } from '../queue/journal.ts';
import { CHAT, GAME, groupOfTexts, makeItem, payer, toText } from '../testing/builders.ts';
import { collectorRoutes } from './grpc.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const nowhere = () => Promise.reject(new Error('no sequencer'));
const memory: Records = { read: () => [], write: async () => undefined, close: async () => undefined };

/** A sequencer at height 12 with one entry of a rollup in each block. */
const blocks = {
  at: async (height: bigint) => ({ latest: 12n, height: height < 12n ? height : 12n, hash: Uint8Array.of(1, 2) }),
  dataAbove: async (_: RollupId, height: bigint) =>
    Array.from({ length: 12 - Number(height) }, (_each, index) => bytes(`block ${Number(height) + 1 + index}`)),
};

async function collector({
  maxItems = 100,
  deduplicates = true,
  onFailure = (_: unknown): void => undefined,
  records = memory,
} = {}) {
  const parts = await createComposer(
    {
      maxBytesPerBundle: 1_000,
      intervalMs: 10,
      maxInFlight: 4,
      maxItems,
      maxBytes: 4_000_000,
      maxItemBytes: 500_000,
      keptOutcomes: 9,
      copiesWindowMs: 60_000,
    },
    {
      journal: createJournal(records),
      sequencer: { chainId: nowhere, settled: nowhere, broadcast: nowhere, balance: nowhere, feeRate: nowhere },
      payer,
      log: silentLogger,
      clock: manualClock(),
      onFailure,
    },
  );
  const transport = createRouterTransport((router) => collectorRoutes(router, { ...parts, blocks, deduplicates }));
  return { ...parts, transport, calls: collectorCalls(transport) };
}

const getCode = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'fine',
    (error: unknown) => (error instanceof ConnectError ? [Code[error.code], error.rawMessage] : error),
  );

test('takes single submissions and batches, and lists what is pending of a rollup', async () => {
  const { calls } = await collector();
  await calls.submit(CHAT, bytes('a'));
  expect(await calls.submitBatch(CHAT, ['b', 'c'].map(bytes))).toEqual([]);
  await calls.submit(GAME, bytes('other'));
  expect(await calls.submitBatch(CHAT, ['c', 'd'].map(bytes), { skipKnown: true })).toEqual([]);
  const pending: string[] = [];
  for await (const message of calls.pending(CHAT)) pending.push(...message.map((data) => toText({ data })));
  expect(pending).toEqual(['a', 'b', 'c', 'd']);
});

test('lists what blocks hold that the rollup has not executed, before what is in none', async () => {
  const { calls, ...parts } = await collector();
  await calls.submit(CHAT, bytes('a'));
  const pending: string[] = [];
  for await (const message of calls.pending(CHAT, undefined, 10n))
    pending.push(...message.map((data) => toText({ data })));
  expect(pending).toEqual(['block 11', 'block 12', 'a']);
  const lost = createRouterTransport((router) =>
    collectorRoutes(router, { ...parts, blocks: { ...blocks, at: nowhere }, deduplicates: true }),
  );
  expect(await getCode(collectorCalls(lost).sequencerBlock(9n))).toEqual([
    'Unavailable',
    'the sequencer is unreachable: no sequencer',
  ]);
  expect(await calls.sequencerBlock(99n)).toEqual({ latest: 12n, height: 12n, hash: '0102' });
});

test('lists a long queue in several messages', async () => {
  const { calls, transport } = await collector();
  const data = Array.from({ length: 6 }, (_, index) => new Uint8Array(400_000).fill(index + 1));
  await calls.submitBatch(CHAT, data);
  const sizes: number[] = [];
  const client = createClient(ownComposer.SubmissionService, transport);
  for await (const message of client.listPending({ rollupId: { inner: Buffer.from(CHAT, 'hex') } }))
    sizes.push(message.data.length);
  expect(sizes).toEqual([3, 3, 0]);
});

test('refuses bad items of a batch by their index, and takes the others', async () => {
  const { calls, backlog } = await collector();
  expect(await calls.submitBatch(CHAT, [bytes('a'), bytes(''), new Uint8Array(500_001), bytes('b')])).toEqual([
    { index: 1, reason: 'the data is empty, expected at least 1 byte' },
    { index: 2, reason: 'the data has 500001 bytes, expected at most 500000' },
  ]);
  expect(backlog.count).toBe(2);
});

test('a full queue is RESOURCE_EXHAUSTED, and takes nothing', async () => {
  const { calls, backlog } = await collector({ maxItems: 2 });
  await calls.submit(CHAT, bytes('a'));
  const full = ['ResourceExhausted', 'the queue holds 1 of 2 submissions; try again later'];
  expect(await getCode(calls.submitBatch(CHAT, ['b', 'c'].map(bytes)))).toEqual(full);
  expect(backlog.count).toBe(1);
});

test.each<[string, { inner: Uint8Array } | undefined, string]>([
  ['no rollup', undefined, 'rollup_id is missing, expected 32 bytes'],
  ['a short rollup id', { inner: new Uint8Array(31) }, 'rollup_id has 31 bytes, expected 32'],
])('%s is INVALID_ARGUMENT', async (_, rollupId, message) => {
  const { transport } = await collector();
  const single = createClient(wire.GrpcCollectorService, transport);
  const own = createClient(ownComposer.SubmissionService, transport);
  const request = rollupId === undefined ? {} : { rollupId };
  const expected = ['InvalidArgument', message];
  expect(await getCode(single.submitRollupTransaction({ ...request, data: bytes('a') }))).toEqual(expected);
  expect(await getCode(own.submitBatch({ ...request, data: [bytes('a')] }))).toEqual(expected);
  expect(await getCode(own.getSubmission({ ...request, hash: new Uint8Array(32) }))).toEqual(expected);
});

test('copies are recognised by default, unless a key marks an intended repeat', async () => {
  const { calls, backlog, transport } = await collector();
  const original = createClient(wire.GrpcCollectorService, transport);
  const request = { rollupId: { inner: Buffer.from(CHAT, 'hex') }, data: bytes('a') };
  const counts: number[] = [];
  const then = async (call: Promise<unknown>) => {
    await call;
    counts.push(backlog.count);
  };
  await then(original.submitRollupTransaction(request));
  await then(original.submitRollupTransaction(request));
  await then(calls.submitBatch(CHAT, [bytes('a')]));
  await then(original.submitRollupTransaction(request, { headers: { 'idempotency-key': 'k' } }));
  await then(calls.submit(CHAT, bytes('a'), undefined, 'k'));
  await then(calls.submitBatch(CHAT, [bytes('a')], { idempotencyKey: bytes('l') }));
  expect(counts).toEqual([1, 1, 1, 2, 2, 3]);
  const long = calls.submitBatch(CHAT, [bytes('a')], { idempotencyKey: new Uint8Array(65) });
  expect(await getCode(long)).toEqual(['InvalidArgument', 'the idempotency key has 65 bytes, expected at most 64']);
});

test('a composer that is set not to deduplicate takes each submission, but for those that ask', async () => {
  const { calls, backlog } = await collector({ deduplicates: false });
  for (let count = 0; count < 2; count += 1) await calls.submit(CHAT, bytes('a'));
  await calls.submitBatch(CHAT, [bytes('a')]);
  await calls.submitBatch(CHAT, [bytes('a')], { skipKnown: true });
  expect(backlog.count).toBe(3);
});

test('a batch has a bound', async () => {
  const { calls } = await collector();
  const many = Array.from({ length: 65_537 }, () => bytes('a'));
  expect(await getCode(calls.submitBatch(CHAT, many))).toEqual([
    'InvalidArgument',
    'a batch of 65537, expected at most 65536',
  ]);
});

test('reports the outcome of a submission', async () => {
  const { calls, outcomes } = await collector();
  const ask = (text: string, rollup: RollupId = CHAT) => calls.submission(rollup, txHashOf(bytes(text)));
  await calls.submit(CHAT, bytes('waiting'));
  const transaction = makeItem('tx').hash;
  outcomes.add(outcomes.create({ kind: 'sequenced', height: 7n, transaction }, [makeItem('done')]));
  outcomes.add(outcomes.create({ kind: 'refused', reason: 'code 19: bad' }, [makeItem('bad')]));
  expect([
    await ask('waiting'),
    await ask('done'),
    await ask('bad'),
    await ask('unheard of'),
    await ask('done', GAME),
  ]).toEqual([
    { kind: 'queued' },
    { kind: 'sequenced', height: 7n, transaction },
    { kind: 'refused', reason: 'code 19: bad' },
    undefined,
    undefined,
  ]);
  const hashes = ['unheard of', 'waiting', 'bad'].map((text) => txHashOf(bytes(text)));
  expect((await calls.submissions(CHAT, hashes)).map((each) => each?.kind)).toEqual([undefined, 'queued', 'refused']);
  expect(
    await getCode(
      calls.submissions(
        CHAT,
        Array.from({ length: 1_025 }, () => transaction),
      ),
    ),
  ).toEqual(['InvalidArgument', '1025 hashes, expected at most 1024']);
});

test('takes an atomic bundle, and reports its outcome by one id', async () => {
  const { calls, outcomes, backlog } = await collector();
  const entries = [
    { rollup: CHAT, transaction: bytes('a') },
    { rollup: GAME, transaction: bytes('b') },
  ];
  const id = await calls.submitBundle(entries);
  const group = groupOfTexts('a', 'b');
  expect([id, await calls.submitBundle(entries), backlog.count]).toEqual([group.hash, group.hash, 2]);
  expect([await calls.bundle(id), await calls.submission(GAME, makeItem('b').hash)]).toEqual([
    { kind: 'queued' },
    { kind: 'queued' },
  ]);
  const keyed = await calls.submitBundle(entries, { idempotencyKey: bytes('again') });
  expect([keyed === id, backlog.count, (await calls.bundle(keyed))?.kind]).toEqual([false, 4, 'queued']);
  expect(await calls.bundle(makeItem('a').hash)).toBeUndefined();
  const sequenced = { kind: 'sequenced', height: 7n, transaction: makeItem('tx').hash } as const;
  const ranges = backlog.take(() => true);
  outcomes.add(outcomes.create(sequenced, backlog.items(ranges)));
  backlog.finish(ranges);
  expect([await calls.bundle(id), await calls.submission(CHAT, makeItem('a').hash)]).toEqual([sequenced, sequenced]);
});

test('an entry without a rollup is named, and too many are counted', async () => {
  const { transport } = await collector();
  const own = createClient(ownComposer.SubmissionService, transport);
  expect(await getCode(own.submitBundle({ entries: [{ data: bytes('a') }] }))).toEqual([
    'InvalidArgument',
    'entry 1 of 1: rollup_id is missing, expected 32 bytes',
  ]);
  const many = Array.from({ length: 257 }, () => ({ data: bytes('a') }));
  expect(await getCode(own.submitBundle({ entries: many }))).toEqual([
    'InvalidArgument',
    '257 entries, expected at most 256',
  ]);
});

test('a disk that fails is no acknowledgement', async () => {
  const failures: unknown[] = [];
  let writes = 0;
  const failing = {
    ...memory,
    write: () => (writes++ === 0 ? Promise.reject(new Error('no space')) : Promise.resolve()),
  };
  const { calls } = await collector({ records: failing, onFailure: (error) => void failures.push(error) });
  expect(await getCode(calls.submit(CHAT, bytes('a')))).not.toBe('fine');
  expect(failures).toMatchObject([{ message: 'no space' }]);
});
