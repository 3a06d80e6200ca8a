import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { heightAndHash } from './anchor.ts';
import { programFor } from './instance-rollup.ts';
import { compare } from './of-instance.ts';
import { getStep, readStatus, rebuild, untilDone } from './rebuild.ts';

import { begin, finish } from './unfinished.ts';

const HASH = 'ab'.repeat(32);

const statusText = (more: object) =>
  JSON.stringify({
    ...{ layerHead: 9, layerRead: 9, layerComplete: 9, postedHeight: 5 },
    ...{ nextHeight: '6', soft: 5, firm: 5, ...more },
  });
const STATUS = statusText({});
const status = (more: object) => readStatus(statusText(more));

test('is done when all of the layer is read and its last block is executed and firm', () => {
  expect(getStep(status({}), 9)).toBe('done');
  const waiting = [{ layerComplete: 8 }, { layerComplete: undefined }, { nextHeight: 5 }, { firm: 4 }];
  expect(waiting.map((each) => getStep(status(each), 9))).toEqual(waiting.map(() => 'wait'));
  expect(getStep(status({}), undefined)).toBe('wait');
  const unposted = { postedHeight: undefined };
  expect(getStep(status({ ...unposted, soft: 0, firm: 0, nextHeight: 1 }), 9)).toBe('nothing');
  // A second try after a try that had executed everything.
  expect(getStep(status(unposted), 9)).toBe('done');
});

// Defect: Rebuild ended by one late answer of its own conductor
test('a conductor that answers late is asked again, and one that stays silent is named', async () => {
  const clock = manualClock();
  const options = { signal: new AbortController().signal, progress: () => undefined, clock };
  const late = new Error('no answer within 2000 ms');
  let wanted = 0;
  const done = untilDone(async () => {
    wanted += 1;
    if (wanted <= 3) throw late;
    return STATUS;
  }, options);
  await clock.advance(1_000);
  await done;
  expect(wanted).toBe(4);
  const silent = untilDone(() => Promise.reject(late), options);
  const named = expect(silent).rejects.toThrow('does not answer: no answer within 2000 ms');
  await clock.advance(200_000);
  await named;
});

test('a layer without a block that follows the anchor ends it with what to check', async () => {
  const answer = statusText({ postedHeight: undefined, soft: 0, firm: 0, nextHeight: 1 });
  const options = { signal: new AbortController().signal, progress: () => undefined, clock: manualClock() };
  await expect(untilDone(async () => answer, options)).rejects.toThrow(
    /^the layer has no block of the sequencer that the rollup could begin with, up to its height 9: check chain, anchor/,
  );
});

// Defect: Rebuild that had ended could not be tried again
test('a second try with the same anchor continues what the first one left', () => {
  const into = join(mkdtempSync(join(tmpdir(), 'switchyard-rebuild-')), 'state');
  const plan = { kind: 'messenger' as const, into, anchor: { height: 1, hash: HASH } };
  begin(plan);
  writeFileSync(join(into, 'data.mdb'), '');
  begin(plan);
  expect(() => begin({ ...plan, anchor: { height: 2, hash: HASH } })).toThrow('an unfinished rebuild of');
  finish(into);
  expect(() => begin(plan)).toThrow(`${into}: is not empty`);
});

/** Blocks that are other ones from a number on. */
function chain(forkedAt: bigint | undefined) {
  const hash = (number: bigint) => `${forkedAt !== undefined && number >= forkedAt ? 'other' : 'block'} ${number}`;
  const find = (number: bigint) => ({
    ...{ number, hash: hash(number), parentHash: hash(number - 1n), sequencerBlockHash: '' },
    timestamp: { seconds: 0n, nanos: 0 },
  });
  return { hash, of: find };
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

test("a rollup of one's own needs the module of its definition, and an EVM rollup has none", () => {
  expect(programFor('shop', 'defined', '/shop.js')).toEqual({ kind: 'defined', code: '/shop.js' });
  expect(programFor('chat', 'messenger', '/shop.js')).toEqual({ kind: 'defined', code: '/shop.js' });
  expect(programFor('chain', 'evm', undefined)).toEqual({ kind: 'evm', code: undefined });
  expect(() => programFor('shop', 'defined', undefined)).toThrow('rollup shop is not ours: expected --code');
  expect(() => programFor('chain', 'evm', '/shop.js')).toThrow('chain: expected --code for a rollup without a virtual');
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
