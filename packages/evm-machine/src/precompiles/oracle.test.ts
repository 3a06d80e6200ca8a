import { createEVM, type EVM } from '@ethereumjs/evm';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { cancunRules } from '../testing/cancun-rules.ts';
import { callOurs, callTheirs } from './testing.ts';

let theirs: EVM;

beforeAll(async () => {
  theirs = await createEVM({ common: cancunRules(1n) });
});

async function same(data: Uint8Array, gas: bigint) {
  const expected = await callTheirs(theirs, 9, data, gas);
  expect(await callOurs('cancun', 9, data, gas)).toEqual(expected);
  return expected;
}

test('BLAKE2 rounds are what the library makes of them, in any number', { timeout: 60_000 }, async () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const inputs = fc.tuple(
    fc.oneof(fc.nat(40), fc.integer({ min: 9_980, max: 33_000 })),
    bytes(208),
    fc.constantFrom(0, 1, 1, 2),
  );
  await fc.assert(
    fc.asyncProperty(inputs, fc.boolean(), async ([rounds, words, last], enough) => {
      const data = Buffer.concat([words.subarray(0, 4), words, Uint8Array.of(last)]);
      data.writeUInt32BE(rounds);
      await same(data, BigInt(enough ? rounds : rounds - 1));
    }),
    { numRuns: 100 },
  );
  await same(new Uint8Array(212), 9n);
});

/** EIP-152, test vectors 4 to 7: the state that BLAKE2b begins with, and `abc`. */
test.each([
  [
    0,
    1,
    '08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
  ],
  [
    12,
    1,
    'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
  ],
  [
    12,
    0,
    '75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
  ],
  [
    1,
    1,
    'b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fba551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421',
  ],
])('%d BLAKE2 rounds, last %d, give the known result', async (rounds, last, result) => {
  const data = Buffer.alloc(213);
  data.writeUInt32BE(rounds);
  data.write(
    '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b616263',
    4,
    'hex',
  );
  data[196] = 3;
  data[212] = last;
  expect(await same(data, 12n)).toMatchObject({ output: `0x${result}`, gasUsed: BigInt(rounds) });
});
