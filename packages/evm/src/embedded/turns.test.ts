import { expect, test } from 'vitest';
import { bytesOf } from '../hex.ts';
import { OF_A_CALL } from '../simulate/checks.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage } from '../simulate/message.ts';
import { BOB, cancun, ENVIRONMENT, messageOf, stateWith, takingTurns } from '../simulate/testing.ts';
import { TimeBudget, TimedOut } from '../simulate/time-budget.ts';
import { testChain } from '../testing.ts';
import type { Data } from '../types.ts';

/** How often others had their turn, while each look at the clock took a millisecond. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  const others = takingTurns();
  try {
    await work();
  } finally {
    others.stop();
  }
  return others.stop();
}

test('others have their turn while a block makes few steps of much work each', async () => {
  const gasLimit = 30_000_000;
  const { account, sequence } = await testChain({ genesis: { gasLimit } });
  // MCOPY of 64 KiB, 3,072 words at a time: far fewer steps than a plain loop has for the same gas.
  const copies = (count: number) => bytesOf(`0x${`${'62010000'}${'5f'}${'6020'}5e`.repeat(count)}00`);
  const block = (count: number) => async () => {
    const { receipts } = await sequence([account(0).deploy(copies(count), { gasLimit: BigInt(gasLimit) })]);
    expect(receipts.map(({ status }) => status)).toEqual([1]);
  };
  await block(1)();
  const few = await turnsDuring(block(1));
  const many = await turnsDuring(block(2_000));
  expect(many).toBeGreaterThan(few + 10);
});

const traced = () =>
  Machine.create({ rules: cancun(), blockHash: () => undefined, tracer: { enter: () => {}, result: () => undefined } });
/** Neither jumps nor calls. */
const STRAIGHT: Data = `0x${'5f50'.repeat(10_000)}`;

test('others have their turn while code is traced that neither jumps nor calls', async () => {
  const machine = await traced();
  const turns = await turnsDuring(async () => {
    machine.use(stateWith({ [BOB]: { code: STRAIGHT } }), new TimeBudget(60_000));
    const { failure } = await applyMessage(machine, messageOf({}), ENVIRONMENT, OF_A_CALL);
    expect(failure).toBeUndefined();
  });
  expect(turns).toBeGreaterThan(10);
});

test('and it ends when its time is over', async () => {
  let now = 0;
  const machine = await traced();
  machine.use(stateWith({ [BOB]: { code: STRAIGHT } }), new TimeBudget(100, { clock: () => now++ }));
  await expect(applyMessage(machine, messageOf({}), ENVIRONMENT, OF_A_CALL)).rejects.toThrow(TimedOut);
});
