import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bytesToHex, hexToBytes } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { BOB, machineOn, makeMessage, stateWith } from '../testing.ts';
import type { Address, Data } from '../types.ts';
import { execute } from './execute.ts';
import type { Hooks } from './hooks.ts';

/* The bytes that an instruction copies, keeps and looks at are in proportion to its gas. */

const CAROL: Address = `0x${'c3'.repeat(20)}`;
const DAVE: Address = `0x${'d4'.repeat(20)}`;
const CAROLS_CODE: Data = '0x00010203040506070809';
const CALLDATA: Data = `0x${'c7'.repeat(70)}`;
const RETURN_ALL = '595ff3';
const LOG = '5f5fa0';
/** A creation whose code (ADDRESS, SELFDESTRUCT) destroys it at once. */
const DESTROYED_CHILD = '6130ff5f526002601e5ff050';
const call = (address: Address) => `5f5f5f5f5f73${address.slice(2)}5af150`;

const traced: Hooks = { step: () => {} };

/** The transaction calls BOB. */
async function run(accounts: Readonly<Record<Address, Data>>, hooks?: Hooks) {
  const state = stateWith(Object.fromEntries(Object.entries(accounts).map(([address, code]) => [address, { code }])));
  const message = makeMessage({ data: hexToBytes(CALLDATA), gasLimit: 25_000_000n });
  return { ...execute({ ...(await machineOn(state)), hooks }, message).run(), state };
}

test('what was logged stays what it was, whatever is written to memory afterwards', async () => {
  // MSTORE8 of 0xab at 0, LOG0 of 40 bytes, MSTORE8 of 0xcd at 0, LOG0 of 1 byte.
  const { logs } = await run({ [BOB]: '0x60ab5f5360285fa060cd5f5360015fa0' });
  expect(logs.map(({ data }) => bytesToHex(data))).toEqual([`0xab${'00'.repeat(39)}`, '0xcd']);
});

async function getOutput(code: Data, hooks?: Hooks): Promise<Data> {
  const { output, failure } = await run({ [BOB]: code, [CAROL]: CAROLS_CODE }, hooks);
  expect(failure).toBeUndefined();
  return bytesToHex(output);
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

const WAYS = [
  ['untraced', undefined],
  ['traced', traced],
] as const;

// Defect: Copies past the end of code or data took a minute
test.each(Object.keys(copying).flatMap((name) => WAYS.map(([way, hooks]) => [name, way, hooks] as const)))(
  '%s of a mebibyte past the end makes no array of it (%s)',
  async (name, _, hooks) => {
    await getOutput('0x00', hooks);
    const code: Data = `0x${push(2 ** 20)}${push(3)}${push(0)}${copying[name]}00`;
    expect(await spreadDuring(() => getOutput(code, hooks))).toBeLessThan(2 ** 12);
  },
);

const place = fc.oneof(fc.nat(100), fc.nat(2_000));
const from = fc.oneof(fc.nat(80), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constant(2n ** 53n));

test('what is copied is what there is, then zeros, over what was in memory before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(copying)),
      fc.nat(150),
      from,
      place,
      place,
      async (name, length, at, offset, dirty) => {
        // Memory that is not zero if the copy goes.
        const code: Data = `0x5f19${push(dirty)}52${push(length)}${push(at)}${push(offset)}${copying[name]}${RETURN_ALL}`;
        const source = hexToBytes(name === 'CODECOPY' ? code : name === 'EXTCODECOPY' ? CAROLS_CODE : CALLDATA);
        const size = Math.ceil(Math.max(dirty + 32, length === 0 ? 0 : offset + length) / 32) * 32;
        const expected = new Uint8Array(size).fill(0xff, dirty, dirty + 32);
        for (let index = 0; index < length; index++) {
          const position = BigInt(at) + BigInt(index);
          expected[offset + index] = position < BigInt(source.length) ? (source[Number(position)] ?? 0) : 0;
        }
        for (const [, hooks] of WAYS) expect(await getOutput(code, hooks)).toBe(bytesToHex(expected));
      },
    ),
  );
});

/** Members that collections were copied with while `work` ran: into a map, a set, or joined arrays. */
async function copiedDuring(work: () => Promise<unknown>): Promise<number> {
  let copied = 0;
  const [map, set, concat] = [Map.prototype[Symbol.iterator], Set.prototype[Symbol.iterator], Array.prototype.concat];
  Map.prototype[Symbol.iterator] = function (this: Map<unknown, unknown>) {
    copied += this.size;
    return map.call(this);
  };
  Set.prototype[Symbol.iterator] = function (this: Set<unknown>) {
    copied += this.size;
    return set.call(this);
  };
  Array.prototype.concat = function (this: unknown[], ...more: unknown[]) {
    copied += this.length;
    return concat.apply(this, more as unknown[][]);
  };
  try {
    await work();
  } finally {
    Map.prototype[Symbol.iterator] = map;
    Set.prototype[Symbol.iterator] = set;
    Array.prototype.concat = concat;
  }
  return copied;
}

// Defect: Self-destructs and logs copied for every call of a transaction
test.each([
  ['one without a tracer', undefined],
  ['one with a tracer', traced],
])(
  'in a machine, %s, what a transaction has destroyed, created and logged is not copied for each call',
  async (_, hooks) => {
    const program = (size: number): Data =>
      `0x${DESTROYED_CHILD.repeat(size)}${LOG.repeat(size)}${call(CAROL).repeat(size)}00`;
    const copied = (size: number) =>
      copiedDuring(async () => {
        const { failure, logs } = await run({ [BOB]: program(size), [CAROL]: '0x00' }, hooks);
        expect({ failure, logs: logs.length }).toEqual({ failure: undefined, logs: size });
      });
    await copied(1);
    const [some, twice] = [await copied(40), await copied(80)];
    // In proportion, as against the square of it, and a few for each of them.
    expect(twice).toBeLessThan(3 * some + 100);
    expect(twice).toBeLessThan(10 * 80);
  },
);

test.each(WAYS)('a call that fails takes back what it and its own calls did, and no more (%s)', async (_, hooks) => {
  const log = (topic: number) => `60${topic.toString(16).padStart(2, '0')}5f5fa1`;
  const accounts = {
    // Logs 1; calls a failing one; logs 4; calls a succeeding one; logs 6.
    [BOB]: `0x${log(1)}${call(CAROL)}${log(4)}${call(DAVE)}${log(6)}00`,
    [CAROL]: `0x${log(2)}${DESTROYED_CHILD}${call(DAVE)}${log(3)}5f5ffd`,
    [DAVE]: `0x${log(5)}${DESTROYED_CHILD}00`,
  } as const;
  const { logs, failure, state } = await run(accounts, hooks);
  expect(failure).toBeUndefined();
  expect(logs.map(({ topics }) => Number(topics[0]))).toEqual([1, 4, 5, 6]);
  // Created by Dave in the call that succeeded, and gone; with that of the call that failed his nonce would be 2.
  expect(state.account(DAVE)?.nonce).toBe(1n);
  expect(state.account(CAROL)?.nonce).toBe(0n);
});

function garbageCollector(): () => void {
  setFlagsFromString('--expose_gc');
  return runInNewContext('gc') as () => void;
}

// Defect: Search of init code kept its creator's memory
test('the code of a creation is forgotten with the call, and with it the memory that it is a part of', async () => {
  const collect = garbageCollector();
  const memories: WeakRef<ArrayBufferLike>[] = [];
  const enter: Hooks['enter'] = ({ kind, input }) => {
    if (kind === 'CREATE') memories.push(new WeakRef(input.buffer));
  };
  // A byte at 1 MiB; then code that jumps (PUSH1 3, JUMP, JUMPDEST) and pushes a long number, put at 0 and created.
  const created = '6003565b69ffffffffffffffffffff50';
  const code: Data = `0x60016210000053${(0x5f + created.length / 2).toString(16)}${created}5f52601060105ff000`;
  const { failure } = await run({ [BOB]: code }, { enter });
  expect({ failure, created: memories.length }).toEqual({ failure: undefined, created: 1 });
  await vi.waitFor(async () => {
    await setImmediate();
    collect();
    expect(memories[0]?.deref()).toBeUndefined();
  });
});
