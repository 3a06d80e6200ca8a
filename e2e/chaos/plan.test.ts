import { expect, test } from 'vitest';
import { FAULT_KINDS, type PlanInput, planFaults, plannedKills } from './plan.ts';
import { makeTargets } from './run.ts';

const input: PlanInput = {
  seed: 'one',
  durationMs: 60_000,
  kills: 25,
  kinds: FAULT_KINDS,
  services: ['sequencer', 'composer', 'conductor', 'rollup'],
  routes: ['composer-rpc', 'conductor-rpc'],
  restorable: ['rollup'],
  repairable: ['rollup'],
};

test('a plan is a function of its seed', () => {
  expect(planFaults(input)).toEqual(planFaults(input));
  expect(planFaults({ ...input, seed: 'two' })).not.toEqual(planFaults(input));
});

test.each(['one', 'two', 'three', 'four'])(
  'it has as many kills as were asked for, in the order of time (seed %s)',
  (seed) => {
    const plan = planFaults({ ...input, seed });
    expect(plannedKills(plan)).toBe(25);
    expect(plan.map(({ at }) => at)).toEqual(plan.map(({ at }) => at).sort((a, b) => a - b));
    for (const { at } of plan) expect(at).toBeGreaterThanOrEqual(4_000);
    for (const { at } of plan) expect(at).toBeLessThanOrEqual(56_000);
  },
);

test('it has the kinds that were asked for, and no other', () => {
  const kinds = (chosen: PlanInput['kinds']) => [
    ...new Set(planFaults({ ...input, kinds: chosen }).map(({ kind }) => kind)),
  ];
  expect(kinds(['pause'])).toEqual(['pause']);
  expect(kinds(FAULT_KINDS).sort()).toEqual(['backup', ...FAULT_KINDS].sort());
});

test('every process is killed sooner or later, the tool too, and sometimes all at once', () => {
  const plan = planFaults({ ...input, kills: 400, durationMs: 600_000 });
  const groups = plan.flatMap((fault) => (fault.kind === 'kill' ? [fault.targets] : []));
  expect(new Set(groups.flat())).toEqual(new Set([...input.services, 'tool']));
  expect(new Set(groups.map(({ length }) => length))).toEqual(new Set([1, 2, 5]));
  for (const group of groups) expect(new Set(group).size).toBe(group.length);
});

test('a lone kill of a process of ours may come at any of its steps', () => {
  const steppable = ['conductor', 'rollup'];
  const plan = planFaults({ ...input, kills: 400, durationMs: 600_000, steppable, hasTool: false });
  const kills = plan.flatMap((fault) => (fault.kind === 'kill' ? [fault] : []));
  for (const { targets, steps } of kills)
    expect(steps !== undefined).toBe(targets.length === 1 && steppable.includes(targets[0] ?? ''));
  const steps = kills.flatMap((each) => each.steps ?? []);
  expect(Math.min(...steps)).toBeLessThan(100);
  expect(Math.max(...steps)).toBeGreaterThan(1_900);
  expect(new Set(kills.flatMap(({ targets }) => targets))).toEqual(new Set(input.services));
});

test('a store is copied before it is put back', () => {
  const plan = planFaults({ ...input, kinds: ['restore'] });
  expect(plan.map(({ kind }) => kind)).toEqual(['backup', 'restore']);
});

test('targets are services of the network, and not the tool alone', () => {
  const stack = { services: ['relayer', 'da'].map((name) => ({ name, readyUrl: '', store: '' })) };
  expect(makeTargets(stack, [])).toEqual({ services: ['relayer', 'da'] });
  expect(makeTargets(stack, ['da', 'tool'])).toEqual({ services: ['da'], hasTool: true });
  expect(() => makeTargets(stack, ['composer'])).toThrow('--targets: expected one of relayer, da, tool, got composer');
  expect(() => makeTargets(stack, ['tool'])).toThrow('--targets: expected one of relayer, da too, got tool alone');
});
