import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rejected } from '@switchyard/protocol';
import type { ExtendedHeader } from '@switchyard/protocol/celestia';
import { manualClock, memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { DaUnavailable } from '../layer.ts';
import { headerFile } from './header-file.ts';
import { type TestChain, testChain } from './headers.testing.ts';
import { type HeaderStore, TrustedHeaders } from './trusted-headers.ts';

const signal = new AbortController().signal;
const START = 1_700_000_000;
const DAY_MS = 86_400_000;
const always = testChain(() => [1, 2, 3, 4]);

interface Options {
  readonly chain?: TestChain;
  readonly root?: bigint;
  /** Time of day, in milliseconds after the first block. */
  readonly afterMs?: number;
  readonly store?: HeaderStore;
  readonly fetch?: (height: bigint) => ExtendedHeader;
}

function trusted({ chain = always, root = 1n, afterMs = 1_000_000, store, fetch = chain.at }: Options = {}) {
  const wanted: bigint[] = [];
  const { commit } = chain.at(root);
  const headers = new TrustedHeaders(
    { root: makeRoot(chain, root, commit.blockId.hash), trustingPeriodMs: DAY_MS },
    {
      fetch: async (height) => {
        wanted.push(height);
        return fetch(height);
      },
      store: store ?? { load: () => undefined, newest: () => undefined },
      wall: manualClock(START * 1_000 + afterMs),
    },
  );
  return { headers, asked: wanted };
}

const makeRoot = ({ chainId }: TestChain, height: bigint, hash: Uint8Array) => ({ chainId, height, hash });

test('skips what can be skipped', async () => {
  const { headers, asked: wanted } = trusted();
  expect(await headers.at(300n, signal)).toBe(always.at(300n));
  expect(wanted).toEqual([300n, 1n]);
  await headers.at(301n, signal);
  expect(wanted.slice(2)).toEqual([301n]);
});

test('follows validators that change, over those in between', async () => {
  // Every ten blocks one of four leaves: after thirty, fewer are left than have to have signed.
  const chain = testChain((height) => [0, 1, 2, 3].map((index) => Number(height / 10n) + index + 1));
  const { headers, asked: wanted } = trusted({ chain });
  await headers.at(200n, signal);
  expect(wanted.length).toBeGreaterThan(4);
  expect(wanted.length).toBeLessThan(60);
});

test('follows validators that are all replaced at once, one block after the other', async () => {
  const chain = testChain((height) => (height < 20n ? [1, 2] : [3, 4]));
  const { headers, asked: wanted } = trusted({ chain });
  await headers.at(30n, signal);
  expect(wanted).toContain(19n);
  expect(wanted).toContain(20n);
});

test('refuses validators that nothing announces', async () => {
  const other = testChain(() => [5, 6, 7]);
  const { headers } = trusted({ fetch: (height) => (height === 1n ? always : other).at(height) });
  await expect(headers.at(50n, signal)).rejects.toBeInstanceOf(Rejected);
  await expect(headers.at(2n, signal)).rejects.toBeInstanceOf(Rejected);
});

test('refuses to begin with another header than the configured one', async () => {
  const other = testChain(() => [1, 2, 3, 4], 1_700_000_001n);
  const { headers } = trusted({ fetch: other.at });
  await expect(headers.at(5n, signal)).rejects.toThrow('not the trusted header');
});

test('does not skip from a header that is older than the trusting period, nor follow from it', async () => {
  const { headers } = trusted({ afterMs: DAY_MS + 2_000 });
  await expect(headers.at(300n, signal)).rejects.toThrow('older than the trusting period');
  await expect(headers.at(2n, signal)).rejects.toThrow('older than the trusting period');
  expect((await headers.at(1n, signal)).header.height).toBe(1n);
});

test('an old header leads back to those before it, whose validators may do no harm any more', async () => {
  const { headers, asked: wanted } = trusted({ root: 40n, afterMs: 10 * DAY_MS });
  expect(await headers.at(35n, signal)).toBe(always.at(35n));
  expect(wanted).toEqual([35n, 40n, 39n, 38n, 37n, 36n]);
  // Headers found on the way are known.
  await headers.at(37n, signal);
  expect(wanted.slice(6)).toEqual([37n]);
  await headers.at(34n, signal);
  expect(wanted.slice(7)).toEqual([34n, 35n]);
});

test('a walk back that fails in the middle continues there', async () => {
  let isAway = true;
  const { headers, asked: wanted } = trusted({
    root: 40n,
    fetch(height) {
      if (height === 37n && isAway) throw new DaUnavailable('away');
      return always.at(height);
    },
  });
  await expect(headers.at(35n, signal)).rejects.toBeInstanceOf(DaUnavailable);
  isAway = false;
  await headers.at(35n, signal);
  expect(wanted).toEqual([35n, 40n, 39n, 38n, 37n, 35n, 37n, 36n]);
});

test.each([39n, 37n, 35n])('refuses another header at %d on the way back to 35', async (wrong) => {
  const other = testChain(() => [1, 2, 3, 4], 1_700_000_001n);
  const { headers } = trusted({ root: 40n, fetch: (height) => (height === wrong ? other : always).at(height) });
  await expect(headers.at(35n, signal)).rejects.toThrow('another header');
});

test('the second header of a height is refused, whoever signed it', async () => {
  const other = testChain(() => [1, 2, 3, 4], 1_700_000_001n);
  let from = always;
  const { headers } = trusted({ fetch: (height) => from.at(height) });
  await headers.at(5n, signal);
  from = other;
  await expect(headers.at(5n, signal)).rejects.toThrow('another header');
});

test('requests at the same time do not disturb each other', async () => {
  const { headers } = trusted();
  const heights = [9n, 4n, 30n, 2n, 30n, 17n];
  const found = await Promise.all(heights.map((height) => headers.at(height, signal)));
  expect(found.map(({ header }) => header.height)).toEqual(heights);
});

test('of a failure, the next request is free', async () => {
  let isAway = true;
  const { headers } = trusted({
    fetch(height) {
      if (height === 1n && isAway) throw new DaUnavailable('away');
      return always.at(height);
    },
  });
  await expect(headers.at(5n, signal)).rejects.toBeInstanceOf(DaUnavailable);
  isAway = false;
  expect((await headers.at(5n, signal)).header.height).toBe(5n);
});

function stored() {
  const path = join(mkdtempSync(join(tmpdir(), 'switchyard-headers-')), 'below', 'header.json');
  const { log, lines } = memoryLogger();
  const root = makeRoot(always, 1n, always.at(1n).commit.blockId.hash);
  const open = (item = root) => headerFile({ path, root: item }, { log, clock: manualClock() });
  return { path, lines, root, open };
}

test('a restart begins with the newest header of the file, and not with the configured one', async () => {
  const { open } = stored();
  await trusted({ store: open() }).headers.at(200n, signal);
  const { headers, asked: wanted } = trusted({ store: open(), afterMs: DAY_MS + 100_000 });
  await headers.at(201n, signal);
  expect(wanted).toEqual([201n]);
});

test('what lies far below the stored header follows from the configured one, where the node still has that', async () => {
  const { open } = stored();
  await trusted({ store: open() }).headers.at(200n, signal);
  const far = trusted({ store: open() });
  await far.headers.at(100n, signal);
  expect(far.asked).toEqual([100n, 1n]);
  await far.headers.at(101n, signal);
  expect(far.asked.slice(2)).toEqual([101n]);
  const without = trusted({
    store: open(),
    fetch(height) {
      if (height < 190n) throw new DaUnavailable('below the tail');
      return always.at(height);
    },
  });
  await without.headers.at(198n, signal);
  expect(without.asked).toEqual([198n, 1n, 199n]);
});

test.each<[string, (text: string) => string]>([
  ['cut short', (text) => text.slice(0, 500)],
  ['empty', () => ''],
  ['of another form', () => '{"root":1}'],
  ['changed', (text) => text.replace(/"app_hash":"0/, '"app_hash":"1')],
])('a file that is %s is not used', async (_, damage) => {
  const { open, path, lines } = stored();
  open().newest(always.at(200n));
  writeFileSync(path, damage(readFileSync(path, 'utf8')));
  expect(open().load()).toBeUndefined();
  expect(lines.at(-1)).toMatchObject({ msg: 'the stored header is damaged, and is not used' });
});

test('a file does not count when another header is trusted than the one it follows from', () => {
  const { open, root } = stored();
  open().newest(always.at(200n));
  expect(open().load()?.header.height).toBe(200n);
  expect(open({ ...root, height: 2n, hash: always.at(2n).commit.blockId.hash }).load()).toBeUndefined();
});
