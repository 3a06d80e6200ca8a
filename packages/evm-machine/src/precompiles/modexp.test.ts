import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM } from '@ethereumjs/evm';
import { bytesToBigInt, bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { callOurs, callTheirs } from './testing.ts';

/*
 * The contract as the library runs it, and ours, by the rules of each fork that changed it: EIP-198, EIP-2565, and
 * EIP-7823 with EIP-7883.
 */
const FORKS = [Hardfork.Byzantium, Hardfork.Cancun, Hardfork.Osaka] as const;
type Fork = (typeof FORKS)[number];

const theirs = new Map<Fork, EVM>();

beforeAll(async () => {
  for (const hardfork of FORKS)
    theirs.set(hardfork, await createEVM({ common: new Common({ chain: Mainnet, hardfork }) }));
});

async function same(fork: Fork, data: Uint8Array, gasLimit = 50_000_000n) {
  const evm = theirs.get(fork);
  if (evm === undefined) throw new Error(`no machine for ${fork}`);
  const expected = await callTheirs(evm, 5, data, gasLimit);
  expect(await callOurs(fork, 5, data, gasLimit), `${fork} ${bytesToHex(data)}`).toEqual(expected);
  return expected;
}

/** Input whose lengths may differ from those of the numbers. */
function input(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
  lengths: readonly bigint[] = [],
): Uint8Array {
  const declared = [base, exponent, modulus].map(({ length }, index) =>
    hexToBytes(toWord(lengths[index] ?? BigInt(length))),
  );
  return Buffer.concat([...declared, base, exponent, modulus]);
}

const ones = (length: number) => new Uint8Array(length).fill(0xff);
const number = (value: bigint, length = Math.ceil(value.toString(16).length / 2)) =>
  hexToBytes(`0x${value.toString(16).padStart(2 * length, '0')}`);

/** EIP-198: its five examples, with their costs then and since EIP-2565. */
test('the examples of EIP-198 come out as they say', async () => {
  const P = 2n ** 256n - 2n ** 32n - 977n;
  const fermat = input(Uint8Array.of(3), number(P - 1n), number(P));
  const nothing = input(new Uint8Array(), number(P - 1n), number(P));
  const endless = input(new Uint8Array(), number(P - 1n), number(P - 2n), [0n, 32n, 2n ** 256n - 1n]);
  const shift = input(Uint8Array.of(3), Uint8Array.of(0xff, 0xff), number(2n ** 255n));
  const short = Buffer.concat([shift.subarray(0, 99), Uint8Array.of(0x80)]);
  const excess = Buffer.concat([shift, Uint8Array.of(7)]);
  const shifted = '0x3b01b01ac41f2d6e917c6d6a221ce793802469026d9ab7578fa2e79e4da6aaab';
  for (const [data, output, gas, gasSince] of [
    [fermat, toWord(1n), 13_056n, 1_360n],
    [nothing, toWord(0n), 13_056n, 1_360n],
    [shift, shifted, 768n, 200n],
    [short, shifted, 768n, 200n],
    [excess, shifted, 768n, 200n],
  ] as const) {
    expect(await same(Hardfork.Byzantium, data)).toEqual({ output, gasUsed: gas, failed: false });
    expect(await same(Hardfork.Cancun, data)).toEqual({ output, gasUsed: gasSince, failed: false });
  }
  for (const fork of FORKS) expect(await same(fork, endless)).toMatchObject({ failed: true });
});

const SEED = 20_261_121;
/** Any bytes; often zeros or ones at either end, which is where numbers change their length. */
const bytes = (maxLength: number) =>
  fc
    .tuple(
      fc.uint8Array({ maxLength }),
      fc.constantFrom('any', 'any', 'zeros', 'ones', 'even', 'one', 'zero first', 'zero last'),
    )
    .map(([any, kind]) => {
      const half = any.length >> 1;
      if (kind === 'zeros') return new Uint8Array(any.length);
      if (kind === 'ones') return ones(any.length);
      if (kind === 'even') return any.map((byte, at) => (at === any.length - 1 ? byte & 0xf8 : byte));
      if (kind === 'one') return any.map((_, at) => (at === half ? 1 << ((any[0] ?? 0) % 8) : 0));
      if (kind === 'zero first') return any.map((byte, at) => (at < half ? 0 : byte));
      if (kind === 'zero last') return any.map((byte, at) => (at < half ? byte : 0));
      return any;
    });
/** Now and then longer than the modules allow, so that both kinds of arithmetic have their part. */
const modulus = fc.oneof({ weight: 5, arbitrary: bytes(56) }, { weight: 1, arbitrary: bytes(200) });
const cut = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -150, max: 20 }) },
);
const lengthened = (data: Uint8Array, by: number) =>
  by <= 0 ? data.subarray(0, Math.max(0, data.length + by)) : Buffer.concat([data, ones(by)]);

test.each(FORKS)(
  'powers and their price are those of the library, of any input: %s',
  async (fork) => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(bytes(60), bytes(70), modulus, cut, fc.boolean(), async (base, exponent, m, by, isPoor) => {
        const data = lengthened(input(base, exponent, m), by);
        const { gasUsed, output, failed } = await same(fork, data);
        if (isPoor) await same(fork, data, gasUsed - 1n);
        if (!failed && bytesToBigInt(hexToBytes(output)) > 1n) found += 1;
      }),
      { numRuns: 1_500, seed: SEED },
    );
    expect(found).toBeGreaterThan(300);
  },
  120_000,
);

test.each(FORKS)(
  'so are those of moduli at each length of numbers, odd and even: %s',
  async (fork) => {
    const base = number(3n ** 300n);
    const exponent = number(7n ** 50n);
    for (let length = 1; length <= 72; length += 1) {
      const most = 2n ** BigInt(8 * length);
      for (const value of [
        most - 1n,
        most - 2n,
        most / 2n,
        most / 2n + 1n,
        most / 2n - 1n,
        most - most / 16n,
        1n,
        2n,
        3n,
      ]) {
        await same(fork, input(base, exponent, number(value, length)));
        await same(fork, input(number(value - 1n, length), exponent, number(value, length)));
      }
    }
  },
  120_000,
);

test('so are those modulo products of a power of two and an odd number, where exponents are small or large', async () => {
  for (const twos of [1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 127, 128, 200]) {
    for (const odd of [1n, 3n, 2n ** 61n - 1n, 2n ** 127n - 1n]) {
      const m = number(odd << BigInt(twos));
      for (const exponent of [0, 1, 2, twos - 1, twos, twos + 1, 2 * twos, 1_000_000]) {
        for (const base of [0n, 1n, 2n, 3n, 6n, 2n ** 20n, 5n ** 100n, 10n ** 40n]) {
          await same(Hardfork.Cancun, input(number(base), number(BigInt(exponent), 8), m));
        }
      }
    }
  }
}, 120_000);

test('lengths that say more than there is mean zeros, and impossible ones fail', async () => {
  const lengths = [0n, 1n, 31n, 32n, 33n, 100n, 1_024n, 1_025n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 64n, 2n ** 256n - 1n];
  const given = Uint8Array.of(3, 5, 7, 11, 13, 17);
  for (const fork of FORKS) {
    for (const base of lengths) {
      for (const exponent of lengths) {
        for (const m of lengths) {
          await same(fork, input(given, given, given, [base, exponent, m]), 300_000n);
        }
      }
    }
  }
}, 120_000);

test('exponents of thousands of bits are read as the library reads them', async () => {
  const base = number(3n ** 150n);
  const patterns = [(at: number) => at, () => 0xff, () => 0, (at: number) => (at * at) >> 3, () => 0x80, () => 0x01];
  for (const pattern of patterns) {
    const exponent = Uint8Array.from({ length: 700 }, (_, at) => (at === 3 ? 0x5a : at < 3 ? 0 : pattern(at)));
    for (const m of [2n ** 64n - 59n, 2n ** 130n - 6n, 2n ** 384n - 317n, 2n ** 385n + 1n, 10n ** 200n]) {
      await same(Hardfork.Cancun, input(base, exponent, number(m)));
    }
  }
}, 60_000);
