import fc from 'fast-check';
import { ALICE, BOB } from '../../testing.ts';
import type { Address, Data } from '../../types.ts';

/* Random programs that reach every instruction with operands that matter to it. */

const account = (digits: string): Address => `0x${digits.repeat(20)}`;
/** Writes its input to a slot, logs it, and returns it twice. */
export const RETURNS = account('c1');
const REVERTS = account('c2');
const DESTROYS = account('c3');
/** Calls who is in its first word with a wei and all its gas, and returns the output. */
const CALLS = account('c4');

/** Contracts that programs call. */
export const CALLED: Readonly<Record<Address, { readonly code: Data; readonly balance: bigint }>> = {
  [RETURNS]: { code: '0x5f355f55365f5f37365fa0365f3660405e60805ff3', balance: 5n },
  [REVERTS]: { code: '0x60015f5560405ffd', balance: 5n },
  [DESTROYS]: { code: '0x5f35ff', balance: 7n },
  [CALLS]: { code: '0x5f5f5f5f60015f355af15f523d60205f3e60405ff3', balance: 9n },
};

const places = [ALICE, BOB, RETURNS, REVERTS, DESTROYS, CALLS, account('e0'), account('e1')].map(BigInt);
const word = fc.oneof(
  fc.bigInt({ min: 0n, max: 100n }),
  fc.bigInt({ min: 0n, max: 70_000n }),
  fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 64n - 1n, 2n ** 128n, 2n ** 255n - 1n, 2n ** 255n, 2n ** 256n - 1n),
  fc.constantFrom(...places),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
);
const small = fc.bigInt({ min: 0n, max: 100n });

const push = (value: bigint) => `7f${value.toString(16).padStart(64, '0')}`;
const hex = (byte: number) => byte.toString(16).padStart(2, '0');

const CALL = 0xf1;
const CALLCODE = 0xf2;
const DELEGATECALL = 0xf4;
const STATICCALL = 0xfa;

const opcode = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0x00, max: 0x5f }) },
  { weight: 2, arbitrary: fc.integer({ min: 0x60, max: 0xa4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0xa5, max: 0xff }) },
  { weight: 2, arbitrary: fc.constantFrom(0x20, 0x54, 0x55, 0x5c, 0x5d, 0xf0, 0xf5, 0xff) },
);

/** Some words, then an instruction. */
const instruction = fc
  .tuple(fc.array(word, { maxLength: 7 }), opcode)
  .map(([words, code]) => `${words.map(push).join('')}${hex(code)}`);

const call = fc
  .record({
    code: fc.constantFrom(CALL, CALLCODE, DELEGATECALL, STATICCALL),
    areas: fc.array(small, { minLength: 4, maxLength: 4 }),
    value: fc.bigInt({ min: 0n, max: 2n }),
    to: fc.oneof(fc.constantFrom(...places), fc.bigInt({ min: 1n, max: 9n })),
    gas: fc.bigInt({ min: 0n, max: 100_000n }),
  })
  .map(({ code, areas, value, to, gas }) => {
    const values = code === CALL || code === CALLCODE ? [value] : [];
    return `${[...areas, ...values, to, gas].map(push).join('')}${hex(code)}`;
  });

/** Creations of a contract of ten bytes, of code that begins with 0xef, of nothing, and of code that destroys itself. */
const creation = fc.constantFrom(
  '64600a6000f36000526005601b6000f0',
  '6960ef60005360016000f36000526000600a60166000f5',
  '600060006000f0',
  '6133ff6000526002601e6001f0',
);

export const programs = fc
  .array(
    fc.oneof({ weight: 8, arbitrary: instruction }, { weight: 2, arbitrary: call }, { weight: 1, arbitrary: creation }),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces): Data => `0x${pieces.join('')}`);
