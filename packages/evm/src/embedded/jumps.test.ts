import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM } from '@ethereumjs/evm';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { bytesOf, hexOf } from '../hex.ts';
import { keccak256 } from '../keccak.ts';
import { OF_A_CALL } from '../simulate/checks.ts';
import { withNumbers } from '../simulate/environment.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage } from '../simulate/message.ts';
import { BOB, cancun, ENVIRONMENT, messageOf, stateWith } from '../simulate/testing.ts';
import { TimeBudget } from '../simulate/time-budget.ts';
import type { Address, Data } from '../types.ts';

const untraced = (rules = cancun()) => Machine.create({ rules, blockHash: () => undefined });
const traced = (rules = cancun()) =>
  Machine.create({ rules, blockHash: () => undefined, tracer: { step: () => {}, result: () => undefined } });

/** To the contract at BOB, which has this code. */
async function run(machine: Machine, code: Data, others: Readonly<Record<Address, { code: Data }>> = {}) {
  machine.use(stateWith({ [BOB]: { code }, ...others }), new TimeBudget(60_000));
  return applyMessage(machine, messageOf({ gasLimit: 25_000_000n }), ENVIRONMENT, OF_A_CALL);
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose_gc');
  return runInNewContext('gc') as () => void;
}

test('the code of a creation is forgotten with the call, and with it the memory that it is a part of', async () => {
  const machine = await untraced();
  const collect = garbageCollector();
  const memories: WeakRef<ArrayBufferLike>[] = [];
  machine.evm.events.on('newContract', ({ code }) => void memories.push(new WeakRef(code.buffer)));
  // A byte at 1 MiB; then code that jumps (PUSH1 3, JUMP, JUMPDEST) and pushes a long number, put at 0 and created.
  const created = '6003565b69ffffffffffffffffffff50';
  const code: Data = `0x60016210000053${(0x5f + created.length / 2).toString(16)}${created}5f52601060105ff000`;
  const { failure } = await run(machine, code);
  expect({ failure, created: memories.length }).toEqual({ failure: undefined, created: 1 });
  machine.use(stateWith({}), new TimeBudget(60_000));
  await vi.waitFor(async () => {
    await setImmediate();
    collect();
    expect(memories[0]?.deref()).toBeUndefined();
  });
});

test.each([
  ['untraced', untraced],
  ['traced', traced],
])('code that cannot jump where it wants is not hashed to say so (%s)', async (_, machineOf) => {
  let hashed = 0;
  const count = (bytes: Uint8Array) => {
    hashed += bytes.length;
    return keccak256(bytes);
  };
  const counting = new Common({
    chain: { ...Mainnet, chainId: 1337 },
    hardfork: Hardfork.Cancun,
    customCrypto: { keccak256: count },
  });
  const machine = await machineOf(withNumbers(() => counting)(0n, 0n));
  hashed = 0;
  const { failure } = await run(machine, `0x600056${'00'.repeat(24_000)}`);
  expect(failure?.text).toBe('invalid jump destination');
  expect(hashed).toBeLessThan(1_000);
});

test('long code that is called, and stops, is not searched', async () => {
  const { runState } = await (await createEVM()).runCode({ code: Uint8Array.of(0), gasLimit: 1n });
  const searches = vi.spyOn(Object.getPrototypeOf(runState?.interpreter), '_getValidJumpDestinations');
  try {
    const machine = await untraced();
    const address = (index: number): Address => `0x${(0xc0de00 + index).toString(16).padStart(40, '0')}`;
    const others = Object.fromEntries(
      Array.from({ length: 60 }, (_, index): [Address, { code: Data }] => [
        address(index),
        // Differ, or they were one code.
        { code: `0x00${index.toString(16).padStart(2, '0')}${'6001'.repeat(12_000)}` },
      ]),
    );
    const calls = Object.keys(others).map((each) => `5f5f5f5f5f73${each.slice(2)}5af150`);
    const { failure } = await run(machine, `0x${calls.join('')}00`, others);
    expect(failure).toBeUndefined();
    expect(searches).not.toHaveBeenCalled();
  } finally {
    searches.mockRestore();
  }
});

const operation = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('5b', '5b', '5f', '80', '50') },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 32 }), fc.uint8Array({ minLength: 32, maxLength: 32 }))
      .map(([size, bytes]) => `${(0x5f + size).toString(16)}${hexOf(bytes.subarray(0, size)).slice(2)}`),
  },
  // Somewhere into the code, which is about as long.
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(120), fc.constantFrom('56', '57')).map(([at, jump]) => `60${byte(at)}${jump}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('56', '57', '69ffffffffffffffffffff56') },
);
const byte = (value: number) => value.toString(16).padStart(2, '0');
/** Returns what is on top. */
const END = '5b5f5260205ff3';

test('pushes and jumps do what those of the library do, also where the code ends in the middle of one', async () => {
  const library = await createEVM({ common: cancun() });
  const machines = [await untraced(), await traced()];
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 20 }), fc.nat(4), async (operations, cut) => {
      const whole = `${'5f'.repeat(3)}${operations.join('')}${END}`;
      const code: Data = `0x${cut < 2 ? whole.slice(0, whole.length - 2 * 7 * cut - 2 * cut) : whole}`;
      // A bound that code which goes round in circles comes to.
      const gasLimit = 20_000n;
      const expected = await library.runCode({ code: bytesOf(code), gasLimit });
      const error = expected.exceptionError?.error.split(' at ')[0];
      for (const machine of machines) {
        machine.use(stateWith({ [BOB]: { code } }), new TimeBudget(60_000));
        const message = messageOf({ gasLimit: 21_000n + gasLimit });
        const found = await applyMessage(machine, message, ENVIRONMENT, OF_A_CALL);
        expect({ gas: found.gasPeak - 21_000n, failed: found.failure !== undefined }).toEqual({
          gas: expected.executionGasUsed,
          failed: error !== undefined,
        });
        expect(hexOf(found.output)).toBe(hexOf(expected.returnValue));
      }
    }),
    { numRuns: 300 },
  );
});
