import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { rollupIdBytes, rollupIdFromName, txHashFromBytes } from '@switchyard/protocol';
import { composer, ownComposer } from '@switchyard/protocol/gen';
import { expect, test } from 'vitest';
import { collectorCalls } from './collector.ts';

const rollup = rollupIdFromName('chat');
const hash = (fill: number) => txHashFromBytes(new Uint8Array(32).fill(fill));

/** A composer that takes everything but empty bytes, and has an outcome for each first byte of a hash. */
function fake() {
  const taken: Uint8Array[] = [];
  const calls = collectorCalls(
    createRouterTransport((router) => {
      router.service(composer.GrpcCollectorService, {
        submitRollupTransaction({ rollupId, data }) {
          expect(rollupId?.inner).toEqual(rollupIdBytes(rollup));
          if (data.length > 9) throw new ConnectError('full', Code.ResourceExhausted);
          taken.push(data);
          return {};
        },
      });
      router.service(ownComposer.SubmissionService, {
        submitBatch({ data, skipKnown }) {
          taken.push(...data);
          const refusals = data.flatMap((each, index) =>
            each.length === 0 ? [{ index, reason: `empty, ${skipKnown}` }] : [],
          );
          return { refusals };
        },
        getSubmission({ hash: bytes }): MessageInitShape<typeof ownComposer.GetSubmissionResponseSchema> {
          switch (bytes[0]) {
            case 1:
              return { state: { case: 'queued', value: {} } };
            case 2:
              return { state: { case: 'bundled', value: { transactionHash: new Uint8Array(32).fill(9), nonce: 4 } } };
            case 3:
              return {
                state: { case: 'sequenced', value: { transactionHash: new Uint8Array(32).fill(9), height: 5n } },
              };
            case 4:
              return { state: { case: 'refused', value: { reason: 'too large' } } };
            case 5:
              return {};
            default:
              throw new ConnectError('unknown', Code.NotFound);
          }
        },
        getSubmissions: ({ hashes }) => ({ submissions: hashes.slice(1).map(() => ({})) }),
        async *listPending() {
          yield { data: [Uint8Array.of(1), Uint8Array.of(2)] };
          yield { data: [Uint8Array.of(3)] };
        },
      });
    }),
  );
  return { calls, taken };
}

test('hands over bytes one at a time and many at once', async () => {
  const { calls, taken } = fake();
  await calls.submit(rollup, Uint8Array.of(1));
  const refusals = await calls.submitBatch(rollup, [Uint8Array.of(2), Uint8Array.of()], { skipKnown: true });
  expect(refusals).toEqual([{ index: 1, reason: 'empty, true' }]);
  expect(taken).toEqual([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of()]);
});

test('passes on that the composer is full', async () => {
  const full = fake().calls.submit(rollup, new Uint8Array(10));
  await expect(full).rejects.toMatchObject({ code: Code.ResourceExhausted });
});

test.each([
  [1, { kind: 'queued' }],
  [2, { kind: 'bundled', transaction: hash(9), nonce: 4 }],
  [3, { kind: 'sequenced', transaction: hash(9), height: 5n }],
  [4, { kind: 'refused', reason: 'too large' }],
  [6, undefined],
])('tells what became of submission %i', async (fill, state) => {
  expect(await fake().calls.submission(rollup, hash(fill))).toEqual(state);
});

test('an answer without a state is an error', async () => {
  await expect(fake().calls.submission(rollup, hash(5))).rejects.toThrow('GetSubmission: expected a state');
  await expect(fake().calls.submissions(rollup, [hash(1), hash(2)])).rejects.toThrow('expected 2 submissions, got 1');
});

test('lists what is pending, in order', async () => {
  const seen: number[] = [];
  for await (const piece of fake().calls.pending(rollup)) seen.push(...piece.map(([first]) => first ?? -1));
  expect(seen).toEqual([1, 2, 3]);
});
