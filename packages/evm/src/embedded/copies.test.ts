import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf, hexOf } from '../hex.ts';
import { OF_A_CALL } from '../simulate/checks.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage } from '../simulate/message.ts';
import { BOB, cancun, ENVIRONMENT, messageOf, stateWith } from '../simulate/testing.ts';
import { TimeBudget } from '../simulate/time-budget.ts';
import type { Address, Data } from '../types.ts';

const CAROL: Address = `0x${'c3'.repeat(20)}`;
const CAROLS_CODE: Data = '0x00010203040506070809';
const CALLDATA: Data = `0x${'c7'.repeat(70)}`;
const RETURN_ALL = '595ff3';

const untraced = () => Machine.create({ rules: cancun(), blockHash: () => undefined });
/** With one that wraps EXTCODECOPY, as some tracers do. */
const traced = () =>
  Machine.create({
    rules: cancun(),
    blockHash: () => undefined,
    tracer: { step: () => {}, opcodes: new Map([[0x3c, (_, run) => run()]]), result: () => undefined },
  });

async function run(machine: Machine, code: Data): Promise<Data> {
  machine.use(stateWith({ [BOB]: { code }, [CAROL]: { code: CAROLS_CODE } }), new TimeBudget(60_000));
  const message = messageOf({ data: bytesOf(CALLDATA), gasLimit: 25_000_000n });
  const { output, failure } = await applyMessage(machine, message, ENVIRONMENT, OF_A_CALL);
  expect(failure).toBeUndefined();
  return hexOf(output);
}

const push = (value: bigint | number) => {
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `${(0x5f + even.length / 2).toString(16)}${even}`;
};
const copying: Readonly<Record<string, string>> = {
  CALLDATACOPY: '37',
  CODECOPY: '39',
  EXTCODECOPY: `73${CAROL.slice(2)}3c`,
};

/** Values that were iterated over one by one while `work` ran, in typed arrays that were spread. */
async function spreadDuring(work: () => Promise<unknown>): Promise<number> {
  const bytes = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const values = bytes[Symbol.iterator];
  let spread = 0;
  bytes[Symbol.iterator] = function (this: Uint8Array) {
    spread += this.length;
    return values.call(this);
  };
  try {
    await work();
  } finally {
    bytes[Symbol.iterator] = values;
  }
  return spread;
}

test.each(
  Object.keys(copying).flatMap((name) => [[name, 'untraced', untraced] as const, [name, 'traced', traced] as const]),
)('%s of a mebibyte past the end makes no array of it (%s)', async (name, _, machineOf) => {
  const machine = await machineOf();
  await run(machine, '0x00');
  const spread = await spreadDuring(() => run(machine, `0x${push(2 ** 20)}${push(3)}${push(0)}${copying[name]}00`));
  expect(spread).toBeLessThan(2 ** 12);
});

const place = fc.oneof(fc.nat(100), fc.nat(2_000));
const from = fc.oneof(fc.nat(80), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constant(2n ** 53n));

test('what is copied is what there is, then zeros, over what was in memory before', async () => {
  const machines = [await untraced(), await traced()];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(copying)),
      fc.nat(150),
      from,
      place,
      place,
      async (name, length, at, offset, dirty) => {
        // Memory that is not zero where the copy goes.
        const code: Data = `0x5f19${push(dirty)}52${push(length)}${push(at)}${push(offset)}${copying[name]}${RETURN_ALL}`;
        const source = bytesOf(name === 'CODECOPY' ? code : name === 'EXTCODECOPY' ? CAROLS_CODE : CALLDATA);
        const size = Math.ceil(Math.max(dirty + 32, length === 0 ? 0 : offset + length) / 32) * 32;
        const expected = new Uint8Array(size).fill(0xff, dirty, dirty + 32);
        for (let index = 0; index < length; index++) {
          const position = BigInt(at) + BigInt(index);
          expected[offset + index] = position < BigInt(source.length) ? (source[Number(position)] ?? 0) : 0;
        }
        for (const machine of machines) expect(await run(machine, code)).toBe(hexOf(expected));
      },
    ),
  );
});
