import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { collectorCalls } from '@switchyard/client';
import { rollupIdFromName, txHashOf } from '@switchyard/protocol';
import { composer, ownComposer } from '@switchyard/protocol/gen';
import { memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { PartlySubmitted } from './collector.ts';
import { composerCollector } from './composer-collector.ts';

const { signal } = new AbortController();
const items = [1, 2, 3].map((each) => Uint8Array.of(each));

/** A composer with the original service, and ours when enabled. */
function world({ fullAt = 9 } = {}) {
  const taken: number[] = [];
  const state = { hasOurs: false };
  const transport = createRouterTransport((router) => {
    router.service(composer.GrpcCollectorService, {
      submitRollupTransaction({ data }) {
        if (taken.length === fullAt) throw new ConnectError('full', Code.Unavailable);
        taken.push(data[0] ?? -1);
        return {};
      },
    });
    const unless = () => {
      if (!state.hasOurs) throw new ConnectError('unknown service', Code.Unimplemented);
    };
    router.service(ownComposer.SubmissionService, {
      submitBatch({ data }) {
        unless();
        taken.push(...data.map(([first = -1]) => first * 10));
        return {};
      },
      getSubmissions({ hashes }) {
        unless();
        return { submissions: hashes.map(() => ({ state: { case: 'refused', value: { reason: 'asked together' } } })) };
      },
      getSequencerBlock({ height }) {
        unless();
        return { latestHeight: 9n, height, blockHash: Uint8Array.of(0xab) };
      },
      async *listPending() {
        unless();
        yield { data: [Uint8Array.of(7)] };
      },
    });
  });
  const { log, lines } = memoryLogger();
  const collector = composerCollector(collectorCalls(transport), rollupIdFromName('chat'), log);
  const pending = async () => {
    const all: Uint8Array[] = [];
    for await (const piece of collector.pending(0n, signal)) all.push(...piece);
    return all;
  };
  return { collector, taken, state, lines, pending };
}

// Defect: Composer without Switchyard's batch service could not be used
test('a composer with only the original service gets transactions one at a time, in order, and that is logged once', async () => {
  const { collector, taken, lines, pending } = world();
  expect(await pending()).toEqual([]);
  expect(await collector.submitBatch(items, 0n, signal)).toEqual([]);
  expect(await collector.submission(txHashOf(Uint8Array.of(1)), signal)).toBeUndefined();
  expect(await pending()).toEqual([]);
  expect([taken, collector.detectsCopies, lines.length]).toEqual([[1, 2, 3], false, 1]);
});

test('one that is replaced by the original while batches go to it is noticed at the next batch', async () => {
  const { collector, taken } = world();
  expect(await collector.submitBatch(items, 0n, signal)).toEqual([]);
  expect([taken, collector.detectsCopies]).toEqual([[1, 2, 3], false]);
});

test('what follows a failure is not sent, and how far it came is known', async () => {
  const { collector, taken } = world({ fullAt: 1 });
  await expect(collector.submitBatch(items, 0n, signal)).rejects.toSatisfy(
    (error) => error instanceof PartlySubmitted && error.accepted === 1,
  );
  expect(taken).toEqual([1]);
});

test('the position of the sequencer is reported where the composer has it', async () => {
  const { collector, state } = world();
  expect(await collector.sequencerBlock(4n, signal)).toBeUndefined();
  state.hasOurs = true;
  expect(await collector.sequencerBlock(4n, signal)).toEqual({ latest: 9n, height: 4n, hash: 'ab' });
});

test('many submissions are asked about in one call, and one as they are', async () => {
  const { collector, state, pending } = world();
  const hashes = items.map(txHashOf);
  const kinds = async () => (await collector.submissions(hashes, signal)).map((each) => each?.kind);
  state.hasOurs = true;
  await pending();
  expect(await kinds()).toEqual(['refused', 'refused', 'refused']);
  const [hash] = hashes;
  expect(hash && (await collector.submission(hash, signal))).toMatchObject({ kind: 'refused' });
  state.hasOurs = false;
  expect([await kinds(), collector.detectsCopies]).toEqual([[undefined, undefined, undefined], false]);
});

test('our service is used again as soon as it is available', async () => {
  const { collector, taken, state, pending } = world();
  await pending();
  state.hasOurs = true;
  expect(await pending()).toEqual([Uint8Array.of(7)]);
  await collector.submitBatch(items, 0n, signal);
  expect([taken, collector.detectsCopies]).toEqual([[10, 20, 30], true]);
});
