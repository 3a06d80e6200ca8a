import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { heightAndHash } from './anchor.ts';
import { compare } from './of-instance.ts';
import { rebuild } from './rebuild.ts';
import { readStatus, stepOf } from './step.ts';

const HASH = 'ab'.repeat(32);

const status = (more: object) =>
  readStatus(
    JSON.stringify({
      ...{ layerHead: 9, layerRead: 9, layerComplete: 9, postedHeight: 5, postedLayerHeight: 8 },
      ...{ nextHeight: '6', soft: 5, firm: 5, lastBlockTime: '2026-01-01T00:00:00.000Z', ...more },
    }),
  );

test('is done when all of the layer is read and its last block is executed and firm', () => {
  expect(stepOf(status({}), 9n)).toEqual({
    kind: 'done',
    last: { sequencerHeight: 5n, layerHeight: 8n, time: '2026-01-01T00:00:00.000Z', number: 5n },
  });
  const waiting = [{ layerComplete: 8 }, { layerComplete: undefined }, { nextHeight: 5 }, { firm: 4 }];
  expect(waiting.map((each) => stepOf(status(each), 9n).kind)).toEqual(waiting.map(() => 'wait'));
  expect(stepOf(status({}), undefined)).toEqual({ kind: 'wait' });
  expect(stepOf(status({ postedHeight: undefined }), 9n)).toEqual({ kind: 'nothing' });
});

/** Blocks that are other ones from a number on. */
function chain(forkedAt: bigint | undefined) {
  const hash = (number: bigint) => `${forkedAt !== undefined && number >= forkedAt ? 'other' : 'block'} ${number}`;
  const of = (number: bigint) => ({
    ...{ number, hash: hash(number), parentHash: hash(number - 1n), sequencerBlockHash: '' },
    timestamp: { seconds: 0n, nanos: 0 },
  });
  return { hash, of };
}

test.each([
  [undefined, 20n, { same: 17n, different: undefined }],
  [undefined, 10n, { same: 10n, different: undefined }],
  [1n, 20n, { same: 0n, different: 1n }],
  [12n, 20n, { same: 11n, different: 12n }],
  [17n, 20n, { same: 16n, different: 17n }],
])('a chain that forked at %s, rebuilt to 17, is compared with one of %s blocks', async (forkedAt, soft, expected) => {
  const [before, rebuilt] = [chain(undefined), chain(forkedAt)];
  const compared = await compare(
    { soft, firm: 9n, blocks: async (numbers) => numbers.map(before.of) },
    { number: 17n, block: async (number) => rebuilt.hash(number) },
  );
  expect(compared).toEqual({ ...expected, soft, firm: 9n });
});

test('a directory that is not empty is not touched', async () => {
  const into = mkdtempSync(join(tmpdir(), 'switchyard-rebuild-'));
  writeFileSync(join(into, 'data.mdb'), '');
  const options = { kind: 'messenger' as const, genesis: 'none', into, anchor: { height: 1, hash: HASH }, layer: {} };
  const deps = { env: {}, signal: new AbortController().signal, progress: () => undefined };
  await expect(rebuild(options, deps)).rejects.toThrow(`${into}: is not empty`);
});

test.each(['', '1', `0:${HASH}`, `1:${HASH}0`, `x:${HASH}`, `1:${'g'.repeat(64)}`])(
  '%j is no height and hash',
  (text) => {
    expect(() => heightAndHash('--anchor', text)).toThrow(Failure);
    expect(heightAndHash('--anchor', `17:${HASH.toUpperCase()}`)).toEqual({ height: 17, hash: HASH });
  },
);
