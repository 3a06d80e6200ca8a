import { expect, test } from 'vitest';
import { OF_A_CALL } from '../simulate/checks.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage } from '../simulate/message.ts';
import { BOB, cancun, ENVIRONMENT, messageOf, stateWith } from '../simulate/testing.ts';
import { TimeBudget } from '../simulate/time-budget.ts';
import type { Address, Data } from '../types.ts';

const CAROL: Address = `0x${'c3'.repeat(20)}`;
const DAVE: Address = `0x${'d4'.repeat(20)}`;
const LOG = '5f5fa0';
/** A creation whose code (ADDRESS, SELFDESTRUCT) destroys it at once. */
const DESTROYED_CHILD = '6130ff5f526002601e5ff050';
const call = (address: Address) => `5f5f5f5f5f73${address.slice(2)}5af150`;

const untraced = () => Machine.create({ rules: cancun(), blockHash: () => undefined });
const traced = () =>
  Machine.create({ rules: cancun(), blockHash: () => undefined, tracer: { step: () => {}, result: () => undefined } });

async function run(machine: Machine, accounts: Readonly<Record<Address, Data>>) {
  const state = stateWith(Object.fromEntries(Object.entries(accounts).map(([address, code]) => [address, { code }])));
  machine.use(state, new TimeBudget(60_000));
  return applyMessage(machine, messageOf({ gasLimit: 25_000_000n }), ENVIRONMENT, OF_A_CALL);
}

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

test.each([
  ['one without a tracer', untraced],
  ['one with a tracer', traced],
])(
  'in a machine, %s, what a transaction has destroyed, created and logged is not copied for each call',
  async (_, machineOf) => {
    const machine = await machineOf();
    const program = (size: number): Data =>
      `0x${DESTROYED_CHILD.repeat(size)}${LOG.repeat(size)}${call(CAROL).repeat(size)}00`;
    const copied = (size: number) =>
      copiedDuring(async () => {
        const { failure, logs } = await run(machine, { [BOB]: program(size), [CAROL]: '0x00' });
        expect({ failure, logs: logs.length }).toEqual({ failure: undefined, logs: size });
      });
    await copied(1);
    const [some, twice] = [await copied(40), await copied(80)];
    // In proportion, as against the square of it, and a few for each of them.
    expect(twice).toBeLessThan(3 * some + 100);
    expect(twice).toBeLessThan(10 * 80);
  },
);

test.each([
  ['untraced', untraced],
  ['traced', traced],
])('a call that fails takes back what it and its own calls did, and no more (%s)', async (_, machineOf) => {
  const machine = await machineOf();
  const log = (topic: number) => `60${topic.toString(16).padStart(2, '0')}5f5fa1`;
  const { logs, failure } = await run(machine, {
    // Logs 1; calls one that fails; logs 4; calls one that succeeds; logs 6.
    [BOB]: `0x${log(1)}${call(CAROL)}${log(4)}${call(DAVE)}${log(6)}00`,
    [CAROL]: `0x${log(2)}${DESTROYED_CHILD}${call(DAVE)}${log(3)}5f5ffd`,
    [DAVE]: `0x${log(5)}${DESTROYED_CHILD}00`,
  });
  expect(failure).toBeUndefined();
  expect(logs.map(({ topics }) => Number(topics[0]))).toEqual([1, 4, 5, 6]);
  // Created by Dave in the call that succeeded, and gone; with that of the call that failed his nonce would be 2.
  expect(machine.state.account(DAVE)?.nonce).toBe(1n);
  expect(machine.state.account(CAROL)?.nonce).toBe(0n);
});
