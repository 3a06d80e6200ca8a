// biome-ignore-all lint/style/noRestrictedImports: reads vectors
import { readFileSync } from 'node:fs';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM } from '@ethereumjs/evm';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { FORKS, type Fork } from '../fork.ts';
import type { Address } from '../types.ts';
import { getPrecompiles, type Precompile, readyPrecompiles } from './contract.ts';
import { pointEvaluation } from './testing.ts';

type Vector = readonly [
  name: string,
  fork: Fork,
  address: number,
  input: string,
  /** Null if the call fails. */
  output: string | null,
  gas: number | null,
];

// Written as such; see the README next to it. Others of the same form can be named.
const file = process.env.PRECOMPILE_VECTORS ?? new URL('../../testdata/precompiles/vectors.json', import.meta.url);
const VECTORS = JSON.parse(readFileSync(file, 'utf8')) as readonly Vector[];

const getPlace = (place: number) => place.toString(16).padStart(40, '0');
const contract = (fork: Fork, place: number): Precompile => {
  const address: Address = `0x${getPlace(place)}`;
  const found = getPrecompiles(fork).get(address);
  if (found === undefined) throw new Error(`${fork} has no contract ${place}`);
  return found;
};
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');

let theirs: EVM;

beforeAll(async () => {
  await readyPrecompiles();
  const rules = new Common({ chain: Mainnet, hardfork: Hardfork.Osaka, customCrypto: { kzg: pointEvaluation } });
  theirs = await createEVM({ common: rules });
});

test.each(VECTORS)('%s', (_name, fork, place, input, output, gas) => {
  const bytes = Buffer.from(input, 'hex');
  const { run, gas: price } = contract(fork, place);
  expect(text(run(bytes))).toBe(output ?? undefined);
  if (gas !== null) expect(price(bytes)).toBe(gas);
});

test('every fork has its contracts', () => {
  const places = (fork: Fork) =>
    [...getPrecompiles(fork).keys()].map((address) => Number.parseInt(address.slice(2), 16));
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
  const counts = [4, 4, 4, 4, 8, 8, 8, 9, 9, 9, 9, 9, 10, 17];
  expect(FORKS.slice(0, FORKS.indexOf('osaka')).map(places)).toEqual(counts.map(upTo));
  for (const fork of ['osaka', 'amsterdam'] as const) expect(places(fork)).toEqual([...upTo(17), 0x100]);
});

test('contracts of the curve of EIP-196 became cheaper with Istanbul', () => {
  const prices = (fork: Fork) => [6, 7, 8].map((place) => contract(fork, place).gas(new Uint8Array(384)));
  expect(prices('petersburg')).toEqual([500, 40_000, 260_000]);
  expect(prices('istanbul')).toEqual([150, 6_000, 113_000]);
});

const P254 = '30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47';
const P381 =
  '000000000000000000000000000000001a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab';
const P256 = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff';
const P256_ORDER = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
const WORDS = [P254, P381, P256, P256_ORDER, '00'.repeat(64), 'ff'.repeat(32), `${'00'.repeat(31)}01`];

/** A change of an input: kind, place (of its length), and value. */
const change = fc.tuple(
  fc.constantFrom('none', 'none', 'byte', 'byte', 'word', 'cut', 'longer', 'double', 'swap'),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat(255),
);
const seldom = fc.oneof(
  { weight: 3, arbitrary: fc.constant(['none', 0, 0] as const) },
  { weight: 1, arbitrary: change },
);
function changed(input: Buffer, [how, where, value]: readonly [string, number, number]): Buffer {
  const result = Buffer.from(input);
  const at = Math.floor(where * (input.length - 1));
  const word = at - (at % 32);
  if (how === 'byte' && input.length > 0) result[at] = value;
  if (how === 'word')
    result.set(Buffer.from(WORDS[value % WORDS.length] ?? '', 'hex').subarray(0, input.length - word), word);
  if (how === 'cut') return result.subarray(0, at);
  if (how === 'longer') return Buffer.concat([result, Buffer.alloc(1 + at, value)]);
  if (how === 'double') return Buffer.concat([result, result]);
  if (how === 'swap') return Buffer.concat([result.subarray(word), result.subarray(0, word)]);
  return result;
}

const MOST_GAS = 2_000_000;
const NAMES: Readonly<Record<number, string>> = { 2: 'sha256', 3: 'ripemd160', 4: 'identity' };
const PLACES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0x100];

test.each(PLACES)('contract %d is that of EthereumJS, of changed inputs too', { timeout: 120_000 }, async (place) => {
  const isSlow = place === 8 || place >= 10;
  // The library takes tens of milliseconds for each pair of a pairing; vectors above have longer ones.
  const most = isSlow ? 2_000 : 8_000;
  const inputs = VECTORS.filter(([, , address, input]) => address === place && input.length < most).map(
    ([, , , input]) => Buffer.from(input, 'hex'),
  );
  if (place in NAMES) inputs.push(...[0, 1, 31, 32, 33, 64, 200].map((length) => Buffer.alloc(length, length)));
  const run = theirs.precompiles.get(getPlace(place));
  if (run === undefined) throw new Error(`EthereumJS has no contract ${place}`);
  const own = contract('osaka', place);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...inputs), change, seldom, async (input, first, second) => {
      const data = changed(changed(input, first), second);
      const gas = own.gas(data);
      const limit = Math.min(gas, MOST_GAS);
      const expected = await run({ data, gasLimit: BigInt(limit), common: theirs.common, _EVM: theirs });
      const output = gas > MOST_GAS ? undefined : own.run(data);
      const succeeded = expected.exceptionError === undefined;
      expect(text(output), text(data)).toBe(succeeded ? text(expected.returnValue) : undefined);
      if (!succeeded || limit === 0) return;
      count += 1;
      expect(gas, text(data)).toBe(Number(expected.executionGasUsed));
      const poor = await run({ data, gasLimit: BigInt(gas - 1), common: theirs.common, _EVM: theirs });
      expect(poor.exceptionError, text(data)).toBeDefined();
    }),
    // No run of the suite has others. The scenario about precompiles has more, alongside anvil.
    { numRuns: place === 8 ? 10 : isSlow ? 40 : 100, seed: 20_261_124 },
  );
  expect(count).toBeGreaterThan(3);
});

test('blocks do not pay for lengths that no input has', () => {
  const word = (value: bigint) => value.toString(16).padStart(64, '0');
  const input = (...lengths: readonly bigint[]) => Buffer.from(lengths.map(word).join(''), 'hex');
  const most = 2n ** 256n - 1n;
  for (const fork of ['byzantium', 'berlin', 'osaka'] as const) {
    const { gas } = contract(fork, 5);
    expect(gas(input(most, 1n, 1n))).toBe(Number.POSITIVE_INFINITY);
    expect(gas(input(1n, 1n, most))).toBe(Number.POSITIVE_INFINITY);
    expect(gas(input(1n, most, 1n))).toBe(Number.POSITIVE_INFINITY);
  }
  // Without base and modulus there is nothing to do, for any exponent.
  const empty = contract('berlin', 5);
  expect([empty.gas(input(0n, most, 0n)), empty.run(input(0n, most, 0n))]).toEqual([200, new Uint8Array()]);
  // EIP-7823.
  expect(contract('osaka', 5).run(input(0n, 1_025n, 0n))).toBeUndefined();
  expect(contract('osaka', 5).run(input(0n, 1_024n, 0n))).toEqual(new Uint8Array());
});
