import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rollupIdFromName } from '../accounts/ids.ts';
import { Rejected } from '../errors.ts';
import { anyTimestamp } from '../testing.ts';
import {
  type BlockMetadata,
  COMMIT_LEVELS,
  commitLevelFromWire,
  commitLevelToWire,
  commitmentStateFromWire,
  commitmentStateToWire,
  nextSequencerHeight,
  type Session,
  sessionFromWire,
  sessionToWire,
  toRollupNumber,
  toSequencerHeight,
} from './execution.ts';

const block = (number: bigint): BlockMetadata => ({
  number,
  hash: `hash ${number}`,
  parentHash: `hash ${number - 1n}`,
  timestamp: { seconds: number, nanos: 5 },
  sequencerBlockHash: 'ab',
});

// composer-conductor.md 2.11: r0 = 2, s0 = 3, end = 9, soft = firm = 1.
const session: Session = {
  id: 'session',
  parameters: {
    rollup: rollupIdFromName('test'),
    rollupStartNumber: 2n,
    rollupEndNumber: 9n,
    sequencerChainId: 'test_sequencer-1000',
    sequencerStartHeight: 3n,
    celestiaChainId: 'test_celestia-1000',
    celestiaSearchHeightMaxLookAhead: 10n,
  },
  commitments: { soft: block(1n), firm: block(1n), lowestCelestiaSearchHeight: 1n },
  firmMeaning: 'posted',
};

test('the published session starts at height 3 and stops at height 10', () => {
  const { parameters, commitments } = session;
  expect(nextSequencerHeight(parameters, commitments)).toBe(3n);
  expect(toSequencerHeight(parameters, 2n)).toBe(3n);
  expect(toSequencerHeight(parameters, 9n)).toBe(10n);
  expect(toRollupNumber(parameters, 3n)).toBe(2n);
});

test('numbers and heights map to each other', () => {
  const height = fc.bigInt({ min: 1n, max: 1n << 40n });
  fc.assert(
    fc.property(height, height, height, (rollupStartNumber, sequencerStartHeight, ahead) => {
      const parameters = { ...session.parameters, rollupStartNumber, sequencerStartHeight };
      const number = toRollupNumber(parameters, sequencerStartHeight + ahead);
      expect(toSequencerHeight(parameters, number)).toBe(sequencerStartHeight + ahead);
    }),
  );
});

test('what lies before the session, or beyond any height, does not map', () => {
  const { parameters } = session;
  expect(() => toSequencerHeight(parameters, 0n)).toThrow(Rejected);
  expect(() => toSequencerHeight(parameters, 1n << 63n)).toThrow(Rejected);
  expect(() => toRollupNumber(parameters, 2n)).toThrow(Rejected);
});

test('a commit level comes back from the wire, and one of a later version is refused', () => {
  expect(COMMIT_LEVELS.map((level) => commitLevelFromWire(commitLevelToWire(level)))).toEqual(COMMIT_LEVELS);
  expect(commitLevelFromWire(0)).toBeUndefined();
  // Enums of the wire are open: later versions may send others.
  expect(() => commitLevelFromWire(99 as Parameters<typeof commitLevelFromWire>[0])).toThrow(Rejected);
});

test('a session and its commitments come back from the wire', () => {
  fc.assert(
    fc.property(anyTimestamp, fc.boolean(), (timestamp, ends) => {
      const sent: Session = {
        ...session,
        parameters: { ...session.parameters, rollupEndNumber: ends ? 9n : undefined },
        firmMeaning: ends ? undefined : 'signed',
        commitments: { ...session.commitments, soft: { ...block(4n), timestamp } },
      };
      expect(sessionFromWire(sessionToWire(sent))).toEqual(sent);
      expect(commitmentStateFromWire(commitmentStateToWire(sent.commitments))).toEqual(sent.commitments);
    }),
  );
});

test.each([
  ['parameters', { executionSessionParameters: undefined }],
  ['commitments', { commitmentState: undefined }],
])('a session without %s is refused', (_, change) => {
  expect(() => sessionFromWire({ ...sessionToWire(session), ...change } as ReturnType<typeof sessionToWire>)).toThrow(
    Rejected,
  );
});

test('commitments with the firm block ahead, or a block without time, are refused', () => {
  const ahead = { ...session.commitments, firm: block(2n) };
  expect(() => commitmentStateFromWire(commitmentStateToWire(ahead))).toThrow('expected firm not ahead of soft');
  const wire = commitmentStateToWire(session.commitments);
  delete wire.softExecutedBlockMetadata?.timestamp;
  expect(() => commitmentStateFromWire(wire)).toThrow('part timestamp');
});

test('a session whose heights cannot be mapped is refused', () => {
  const with_ = (change: Partial<Session['parameters']>) =>
    sessionToWire({ ...session, parameters: { ...session.parameters, ...change } });
  expect(() => sessionFromWire(with_({ rollupStartNumber: 5n }))).toThrow(Rejected);
  expect(() => sessionFromWire(with_({ sequencerStartHeight: 0n }))).toThrow(Rejected);
  expect(() => sessionFromWire(with_({ rollupEndNumber: (1n << 64n) - 1n }))).toThrow(Rejected);
});
