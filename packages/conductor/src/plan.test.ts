import { Code } from '@connectrpc/connect';
import type { CommitmentState, SessionParameters } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Arrival, nextStep, sessionPauseMs, softObstacle, verdictOf } from './plan.ts';
import { FakeRollup } from './testing/fake-rollup.ts';

const { parameters, commitments } = new FakeRollup();
const limits = { maxBlocks: 3, maxBytes: 100 };
const arrivals = (from: bigint, count: number, bytes = 10): Arrival[] =>
  Array.from({ length: count }, (_, index) => ({ height: from + BigInt(index), bytes }));
const at = (number: bigint): CommitmentState => ({ ...commitments, soft: { ...commitments.soft, number } });
const ending = (rollupEndNumber: bigint): SessionParameters => ({ ...parameters, rollupEndNumber });

test('waits while nothing is there', () => {
  expect(nextStep({ parameters, commitments, waiting: [], limits })).toEqual({ kind: 'wait' });
});

test('executes what waits, in batches bounded in blocks and bytes', () => {
  const step = (waiting: Arrival[]) => nextStep({ parameters, commitments, waiting, limits });
  expect(step(arrivals(1n, 1))).toEqual({ kind: 'execute', count: 1 });
  expect(step(arrivals(1n, 9))).toEqual({ kind: 'execute', count: 3 });
  expect(step(arrivals(1n, 3, 60))).toEqual({ kind: 'execute', count: 2 });
  // A block over the bound goes alone, rather than never.
  expect(step(arrivals(1n, 3, 1_000))).toEqual({ kind: 'execute', count: 1 });
});

test('drops what the rollup has, and notices what is missing', () => {
  const step = (waiting: Arrival[]) => nextStep({ parameters, commitments: at(5n), waiting, limits });
  expect(step(arrivals(3n, 9))).toEqual({ kind: 'drop', count: 3 });
  expect(step(arrivals(1n, 2))).toEqual({ kind: 'drop', count: 2 });
  expect(step(arrivals(7n, 1))).toEqual({ kind: 'gap', expected: 6n, got: 7n });
});

test('stops at the end of the session, and not before', () => {
  const step = (soft: bigint, end: bigint) =>
    nextStep({ parameters: ending(end), commitments: at(soft), waiting: arrivals(soft + 1n, 3), limits });
  expect(step(4n, 6n)).toEqual({ kind: 'execute', count: 2 });
  expect(step(6n, 6n)).toEqual({ kind: 'finish' });
  expect(step(7n, 6n)).toEqual({ kind: 'finish' });
});

test('whatever arrives in whatever pieces, each block is executed once and in order', () => {
  const pieces = fc.array(fc.record({ count: fc.nat({ max: 5 }), bytes: fc.nat({ max: 150 }) }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, (sizes) => {
      let next = 1n;
      let waiting: Arrival[] = [];
      let current = commitments;
      const executed: bigint[] = [];
      for (const { count, bytes } of sizes) {
        waiting.push(...arrivals(next, count, bytes));
        next += BigInt(count);
        for (;;) {
          const step = nextStep({ parameters, commitments: current, waiting, limits });
          if (step.kind !== 'execute') {
            expect(step.kind).toBe('wait');
            break;
          }
          executed.push(...waiting.slice(0, step.count).map(({ height }) => height));
          waiting = waiting.slice(step.count);
          current = at(executed.at(-1) ?? 0n);
        }
      }
      expect(executed).toEqual(Array.from({ length: Number(next) - 1 }, (_, index) => BigInt(index + 1)));
    }),
  );
});

// composer-conductor.md 2.8.
test.each([
  [
    'again',
    [
      Code.Canceled,
      Code.Unknown,
      Code.DeadlineExceeded,
      Code.NotFound,
      Code.ResourceExhausted,
      Code.Aborted,
      Code.Unavailable,
    ],
  ],
  ['new session', [Code.PermissionDenied]],
  [
    'fatal',
    [
      Code.InvalidArgument,
      Code.AlreadyExists,
      Code.FailedPrecondition,
      Code.OutOfRange,
      Code.Unimplemented,
      Code.Internal,
      Code.DataLoss,
      Code.Unauthenticated,
    ],
  ],
])('the verdict on these codes is: %s', (verdict, codes) => {
  for (const code of codes) expect(verdictOf(code)).toBe(verdict);
});

test('sessions without a block come slower and slower, up to a bound', () => {
  const pauses = [0, 1, 2, 3, 50].map((fruitless) => sessionPauseMs(fruitless, () => 0.5));
  expect(pauses).toEqual([0, 150, 300, 600, 22_500]);
});

test('soft blocks wait while the layer is too far past the newest posted block', () => {
  const at = (lookAhead: bigint, posted: bigint, read: bigint) => softObstacle({ lookAhead, posted, read });
  expect(at(10n, 5n, 15n)).toBeUndefined();
  expect(at(10n, 5n, 16n)).toContain('since its height 5, it is at 16, and at most 10');
  // Without a limit, and with an unknown start of reading.
  expect(at(0n, 5n, 10_000n)).toBeUndefined();
  expect(at(10n, 0n, 10_000n)).toBeUndefined();
});
