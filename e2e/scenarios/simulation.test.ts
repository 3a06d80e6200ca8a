import { join } from 'node:path';
import { evmClient } from '@switchyard/evm/client';
import { signTransaction } from '@switchyard/evm/signing';
import { signText } from '@switchyard/messenger/testing';
import { BadOptions, evm, messenger } from '@switchyard/network';
import {
  type NodeAccess,
  type RunResult,
  SimulationFailed,
  simulate,
  type TransactionFacts,
} from '@switchyard/network/simulate';
import { createSigner, fromHex } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';
import { evmWorkload } from '../simulate/evm-workload.ts';
import { messengerWorkload } from '../simulate/messenger-workload.ts';
import { MUTANTS } from '../simulate/mutants.ts';
import { ROLLUPS, simulateRollup } from '../simulate/rollups.ts';
import { root, run } from '../support/network.ts';

const dist = join(root, 'e2e', 'dist', 'simulate');
const MORE_SEEDS = Array.from({ length: 80 }, (_, index) => index + 1);
const LIMIT_MS = 180_000;
const TO = `0x${'57'.repeat(20)}` as const;

async function simulated(
  seeds: readonly number[],
  { program = process.execPath, rollup = 'messenger', faults = 'all', mutant = '' } = {},
) {
  const before = mutant === '' ? [] : ['--import', join(dist, 'plant.js')];
  const args = [...before, join(dist, 'one.js'), rollup, faults, ...seeds.map(String)];
  const { status, stdout, stderr } = await run(program, args, { SWITCHYARD_MUTANT: mutant });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

const toText = ({ account: { key, name: from }, nonce, chainId }: TransactionFacts) =>
  signText({ nonce, chainId, text: `text ${nonce}`, from, feeAsset: 'nria' }, createSigner(fromHex(key)));

test('a seed holds, does the same again, and another one does something else', async () => {
  const runs: RunResult[] = [];
  const faults: string[] = [];
  const options = { heights: 20, onResult: (result: RunResult) => void runs.push(result) };
  await simulateRollup('messenger', { ...options, seeds: [3, 4], note: (line) => void faults.push(line) });
  await simulateRollup('messenger', { ...options, seeds: [3] });
  const [first, other, again] = runs;
  expect(again).toEqual(first);
  expect(other?.trace).not.toBe(first?.trace);
  expect(first).toMatchObject({ seed: 3, violations: [], logs: {} });
  expect(first?.blocks).toBeGreaterThanOrEqual(20);
  expect(first?.acknowledged).toBeGreaterThan(0);
  expect(faults).toHaveLength((first?.faults ?? 0) + (other?.faults ?? 0));
}, 120_000);

test('a rule that does not hold fails with its seed, the rule and the newest log lines', async () => {
  const workload = { ...messengerWorkload, transaction: toText, check: async () => ['the sum is wrong'] };
  const failed = await simulate(messenger(), { seeds: [5], heights: 5, faults: [], workload }).catch(
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(SimulationFailed);
  const { message, result } = failed as SimulationFailed;
  expect(result.violations).toEqual([{ rule: 'the rules of the rollup', detail: 'the sum is wrong' }]);
  expect(message).toMatch(
    /^seed 5, 5 heights: 1 violations\n {2}the rules of the rollup: the sum is wrong\nwith these steps alone\nrepeat it with: .*, only: \[\] }\)\nnewest log lines\n/,
  );
  expect(message).toContain('sequencer is ready');
}, 120_000);

test.each([
  [{ seeds: 0 }, 'seeds: expected a whole number from 1 on, got 0'],
  [{ seeds: [1.5] }, 'seeds: expected a whole number from 0 on, got 1.5'],
  [{ heights: -1 }, 'heights: expected a whole number from 1 on, got -1'],
  [
    { faults: ['fire' as never] },
    'faults: expected some of stop, kill, power, cut, weather, duplicate, lie, disk, clock, copy, got fire',
  ],
])('%o is refused before anything is started', async (options, message) => {
  await expect(simulate(messenger(), options)).rejects.toThrow(new BadOptions(message));
});

test('the EVM holds, and does the same again', async () => {
  const runs: RunResult[] = [];
  const options = { heights: 20, seeds: [3], onResult: (result: RunResult) => void runs.push(result) };
  await simulateRollup('evm', options);
  await simulateRollup('evm', options);
  const [first, again] = runs;
  expect(again).toEqual(first);
  expect(first).toMatchObject({ seed: 3, violations: [], logs: {} });
  expect(first?.acknowledged).toBeGreaterThan(0);
  expect(first?.deposits).toBeGreaterThan(0);
}, 120_000);

test('a rollup without a definition needs a workload', async () => {
  const message = 'workload: rollup evm has transactions of its own, which a workload has to make';
  await expect(simulate(evm())).rejects.toThrow(new BadOptions(message));
});

test('the messenger holds with the transactions of its definition', async () => {
  const [result] = await simulate(messenger(), { seeds: [3], heights: 20 });
  expect(result).toMatchObject({ violations: [], activity: {} });
  expect(result?.acknowledged).toBeGreaterThan(0);
  expect(result?.deposits).toBeGreaterThan(0);
}, 120_000);

test('the rules of a workload look at the EVM by its own client', async () => {
  const workload = {
    ...evmWorkload,
    transaction: ({ account: { key }, nonce, chainId }: TransactionFacts) =>
      signTransaction(
        { chainId: BigInt(chainId), nonce: BigInt(nonce), gasLimit: 21_000n, gasPrice: 10n ** 11n, to: TO },
        `0x${key}`,
      ),
    check: async (_: unknown, access: NodeAccess) => [
      `block 0 has ${(await evmClient(access).block(0n))?.transactions} transactions`,
    ],
  };
  const options = { seeds: [5], heights: 5, faults: [], workload };
  const failed = await simulate(evm(), options).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(SimulationFailed);
  const { violations } = (failed as SimulationFailed).result;
  expect(violations).toEqual([{ rule: 'the rules of the rollup', detail: 'block 0 has 0 transactions' }]);
}, 120_000);

describe('planted defects', () => {
  test.each(MUTANTS)(
    '$name is found',
    async ({ name, rollup, faults, seed, rules }) => {
      const found = await simulated([seed, ...MORE_SEEDS], { rollup, faults: faults?.join(), mutant: name });
      expect(rules.filter((rule) => found.rules?.includes(rule))).not.toEqual([]);
    },
    LIMIT_MS,
  );
});

test(
  'a seed does the same on other versions of Node',
  async ({ skip }) => {
    const newerNode = process.env.SWITCHYARD_NEWER_NODE ?? '';
    if (newerNode === '') skip('SWITCHYARD_NEWER_NODE names no other Node');
    for (const rollup of ROLLUPS) {
      const seeds = rollup === 'evm' ? [11] : [11, 12];
      expect(await simulated(seeds, { program: newerNode, rollup })).toEqual(await simulated(seeds, { rollup }));
    }
  },
  LIMIT_MS,
);
