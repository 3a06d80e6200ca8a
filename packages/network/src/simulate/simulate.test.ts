import { expect, test } from 'vitest';
import { BadOptions } from '../bad-options.ts';
import { evm, messenger } from '../rollups.ts';
import { type RunResult, SimulationFailed, simulate } from './index.ts';

test('a seed holds, does the same again, and another one does something else', async () => {
  const runs: RunResult[] = [];
  const faults: string[] = [];
  const options = { heights: 20, onResult: (result: RunResult) => void runs.push(result) };
  await simulate(messenger(), { ...options, seeds: [3, 4], note: (line) => void faults.push(line) });
  await simulate(messenger(), { ...options, seeds: [3] });
  const [first, other, again] = runs;
  expect(again).toEqual(first);
  expect(other?.trace).not.toBe(first?.trace);
  expect(first).toMatchObject({ seed: 3, violations: [], logs: {} });
  expect(first?.blocks).toBeGreaterThanOrEqual(20);
  expect(first?.acknowledged).toBeGreaterThan(0);
  expect(faults).toHaveLength((first?.faults ?? 0) + (other?.faults ?? 0));
}, 120_000);

test('a rule that does not hold fails with its seed, the rule and the newest log lines', async () => {
  const { messengerWorkload } = await import('./messenger-workload.ts');
  const workload = { ...messengerWorkload, check: async () => ['the sum is wrong'] };
  const failed = await simulate(messenger(), { seeds: [5], heights: 5, faults: [], workload }).catch(
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(SimulationFailed);
  const { message, result } = failed as SimulationFailed;
  expect(result.violations).toEqual([{ rule: 'the rules of the rollup', detail: 'the sum is wrong' }]);
  expect(message).toMatch(
    /^seed 5, 5 heights: 1 violations\n {2}the rules of the rollup: the sum is wrong\nnewest log lines\n/,
  );
  expect(message).toContain('sequencer is ready');
}, 120_000);

test.each([
  [{ seeds: 0 }, 'seeds: expected a whole number from 1 on, got 0'],
  [{ seeds: [1.5] }, 'seeds: expected a whole number from 0 on, got 1.5'],
  [{ heights: -1 }, 'heights: expected a whole number from 1 on, got -1'],
  [{ faults: ['fire' as never] }, 'faults: expected some of stop, kill, power, cut, weather, disk, clock, got fire'],
])('%o is refused before anything is started', async (options, message) => {
  await expect(simulate(messenger(), options)).rejects.toThrow(new BadOptions(message));
});

test('a rollup with a virtual machine is refused', async () => {
  await expect(simulate(evm())).rejects.toThrow('rollup evm: expected a rollup of the framework, got one of evm');
});
