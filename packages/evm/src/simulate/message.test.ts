import type { Watch } from '@switchyard/evm-machine/interface';
import { ALICE, BOB, COINBASE, code, deploying, stateWith } from '@switchyard/evm-machine/testing';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { Inapplicable, OF_A_CALL, OF_A_TRANSACTION } from './checks.ts';
import type { EvmMessage } from './evm-message.ts';
import { applyMessage } from './message.ts';
import { machineOn, makeMessage } from './testing.ts';
import { TakesLong, TimedOut, timeBudget } from './time-budget.ts';

const COIN = 10n ** 18n;
const GWEI = 10n ** 9n;
const fees = { gasPrice: 2n * GWEI, maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI };

async function apply(state: ReturnType<typeof stateWith>, message: Partial<EvmMessage>, checks = OF_A_TRANSACTION) {
  return applyMessage(await machineOn(state), makeMessage(message), checks);
}

test('moves value, pays the tip and burns the base fee', async () => {
  const state = stateWith({ [ALICE]: { balance: COIN } });
  const outcome = await apply(state, { ...fees, value: 5n, gasLimit: 50_000n });
  expect(outcome).toMatchObject({ gasUsed: 21_000n, failure: undefined });
  expect(state.account(BOB)?.balance).toBe(5n);
  expect(state.account(ALICE)).toMatchObject({ nonce: 1n, balance: COIN - 5n - 21_000n * 2n * GWEI });
  expect(state.account(COINBASE)?.balance).toBe(21_000n * GWEI);
});

test('creates nothing for a transfer of nothing', async () => {
  const state = stateWith({ [ALICE]: {} });
  await apply(state, {}, OF_A_CALL);
  expect(state.account(BOB)).toBeUndefined();
  expect(state.account(COINBASE)).toBeUndefined();
});

test('runs code, keeps its writes and gives back its refund', async () => {
  const clears = code(0, 1, 'sstore');
  const state = stateWith({ [ALICE]: {}, [BOB]: { code: clears } });
  state.putStorage(BOB, toWord(1n), 7n);
  const { gasUsed, gasPeak } = await apply(state, {}, OF_A_CALL);
  // 21000, two pushes, a cold slot that is reset.
  expect(gasPeak).toBe(21_000n + 6n + 5_000n);
  expect(gasUsed).toBe(gasPeak - 4_800n);
  expect(state.storage(BOB, toWord(1n))).toBe(0n);
});

test('a revert costs gas and leaves the sender one nonce later', async () => {
  const state = stateWith({ [ALICE]: { balance: COIN }, [BOB]: { code: code(1, 1, 'sstore', 0, 0, 'revert') } });
  const { failure, gasUsed } = await apply(state, { ...fees, value: 3n });
  expect(failure).toEqual({ kind: 'revert', text: 'execution reverted' });
  expect(state.account(ALICE)).toMatchObject({ nonce: 1n, balance: COIN - gasUsed * 2n * GWEI });
  expect(state.storage(BOB, toWord(1n))).toBe(0n);
  expect(state.account(BOB)?.balance).toBe(0n);
});

test('creates a contract where the sender and its nonce put it', async () => {
  const state = stateWith({ [ALICE]: { nonce: 1n } });
  const runtime = code(1, 'stop');
  const outcome = await apply(state, { to: undefined, data: hexToBytes(deploying(runtime)) }, OF_A_CALL);
  expect(bytesToHex(outcome.output)).toBe(runtime);
  const { created } = outcome;
  if (created === undefined) throw new Error('nothing was created');
  const account = state.account(created);
  expect(bytesToHex(state.code(account?.codeHash ?? '0x'))).toBe(runtime);
  expect(account?.nonce).toBe(1n);
});

test('a contract that is made and destroyed in one transaction is gone, an older one stays', async () => {
  const destroys = code(ALICE, 'selfdestruct');
  const state = stateWith({ [ALICE]: {}, [BOB]: { code: destroys, balance: 9n } });
  await apply(state, {}, OF_A_CALL);
  expect(state.account(BOB)).toMatchObject({ balance: 0n });
  expect(state.account(ALICE)?.balance).toBe(9n);
  const { created } = await apply(state, { nonce: 1n, to: undefined, data: hexToBytes(destroys) }, OF_A_CALL);
  expect(state.account(created ?? BOB)).toBeUndefined();
});

test.each<[string, Partial<EvmMessage>, string]>([
  ['a used nonce', { ...fees, nonce: 0n }, ', tx: 0 state: 1'],
  ['a nonce ahead', { ...fees, nonce: 5n }, 'nonce too high'],
  [
    'a fee below the base fee',
    { ...fees, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n },
    'max fee per gas less than block base fee',
  ],
  [
    'a tip above the cap',
    { ...fees, maxPriorityFeePerGas: 4n * GWEI },
    'max priority fee per gas higher than max fee per gas',
  ],
  ['too little gas', { ...fees, gasLimit: 20_999n }, 'intrinsic gas too low: have 20999, want 21000'],
  ['more than the sender has', { ...fees, value: COIN }, 'insufficient funds for gas * price + value'],
  ['a sender with code', { ...fees, from: BOB }, 'sender not an eoa'],
  ['initcode that is too long', { ...fees, to: undefined, data: new Uint8Array(49_153) }, 'max initcode size exceeded'],
])('refuses %s before anything changes', async (_, message, text) => {
  const state = stateWith({ [ALICE]: { balance: COIN, nonce: 1n }, [BOB]: { code: code('stop'), nonce: 1n } });
  const refused = apply(state, { nonce: 1n, ...message });
  await expect(refused).rejects.toThrow(Inapplicable);
  await expect(refused).rejects.toThrow(text);
  expect(state.account(ALICE)).toMatchObject({ balance: COIN, nonce: 1n });
});

test('code that never ends is stopped, or left to a thread before', async () => {
  const forever = code('jumpdest', 0, 'jump');
  const endless = async (watch: Watch) => {
    const machine = await machineOn(stateWith({ [BOB]: { code: forever } }), watch);
    return applyMessage(machine, makeMessage({ gasLimit: 10n ** 12n }), OF_A_CALL);
  };
  let now = 0;
  const clock = () => now++;
  await expect(endless(timeBudget(100, { clock }))).rejects.toThrow(TimedOut);
  expect(now).toBe(102);
  await expect(endless(timeBudget(100, { hereMs: 5, clock }))).rejects.toThrow(TakesLong);
  expect(now).toBe(109);
});

// Defect: Others waited up to 222 ms for sixteen calls of a slow precompiled contract
test('a dear precompiled contract is not begun where the thread answers everything else', async () => {
  const call = (watch: Watch) => async (pairs: number) => {
    const to = `0x${'8'.padStart(40, '0')}` as const;
    const data = new Uint8Array(192 * pairs);
    return applyMessage(
      await machineOn(stateWith({}), watch),
      makeMessage({ to, data, gasLimit: 10n ** 7n }),
      OF_A_CALL,
    );
  };
  const clock = () => 0;
  expect((await call(timeBudget(100, { hereMs: 5, clock }))(3)).failure).toBeUndefined();
  await expect(call(timeBudget(100, { hereMs: 5, clock }))(4)).rejects.toThrow(TakesLong);
  expect((await call(timeBudget(100, { clock }))(4)).failure).toBeUndefined();
});
