import { bytesOf } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import type { Pause } from '../pause.ts';
import { OF_A_CALL } from '../simulate/checks.ts';
import { applyMessage } from '../simulate/message.ts';
import { BOB, machineOn, messageOf, stateWith, takingTurns } from '../simulate/testing.ts';
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

const TRACER = { step: () => {}, result: () => undefined };
/** Neither jumps nor calls. */
const STRAIGHT: Data = `0x${'5f50'.repeat(10_000)}`;

const trace = async (pause: Pause) =>
  applyMessage(await machineOn(stateWith({ [BOB]: { code: STRAIGHT } }), pause), messageOf({}), OF_A_CALL, TRACER);

test('others have their turn while code is traced that neither jumps nor calls', async () => {
  let looks = 0;
  const { failure } = await trace(async () => {
    looks += 1;
  });
  expect(failure).toBeUndefined();
  // 40,000 gas: half that between two looks.
  expect(looks).toBeGreaterThan(0);
});

test('and it ends when its time is over', async () => {
  let now = 0;
  const { take } = new TimeBudget(0, { clock: () => (now += 10) });
  await expect(trace(take)).rejects.toThrow(TimedOut);
});

test('others have their turn while a few calls of precompiled contracts take most of the gas', async () => {
  // Products on the curve of EIP-196, of 6,000 gas each.
  const code: Data = `0x${'5f5f5f5f600761fffffa50'.repeat(10)}`;
  let looks = 0;
  const machine = await machineOn(stateWith({ [BOB]: { code } }), () => {
    looks += 1;
    return undefined;
  });
  const { failure } = await applyMessage(machine, messageOf({}), OF_A_CALL);
  expect(failure).toBeUndefined();
  expect(looks).toBeGreaterThan(1);
});
