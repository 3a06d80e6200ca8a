import type { TxHash } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { GROUPS } from './queue/items.ts';
import { getHash, type OutcomeRecord, type SubmittedBundle, simulate } from './testing/simulation.ts';

/** More of them, or a single one, by hand: `SIMULATIONS=5000 npx vitest run packages/composer/src/simulation.test.ts`. */
const RUNS = Number(process.env.SIMULATIONS ?? 60);
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);

test(
  'what is acknowledged is in exactly one block, whatever is lost or killed on the way',
  async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed += 1) {
      const problems = await simulate(seed).then(getProblems, (error: unknown) => [String((error as Error).stack)]);
      expect({ seed, problems }).toEqual({ seed, problems: [] });
    }
  },
  10 * 60_000,
);

function getProblems(outcome: OutcomeRecord): string[] {
  const { submitted, sequencer, refused, sequenced, faults, left } = outcome;
  const problems: string[] = [];
  if (!outcome.isSettled) problems.push('not everything is settled');
  if (left.chunks + left.done + left.bundles + left.items > 0) problems.push(`left over: ${JSON.stringify(left)}`);

  const times = new Map<string, number>();
  for (const { data } of sequencer.ordered) times.set(data, (times.get(data) ?? 0) + 1);
  for (const { data, isBad, acknowledged } of submitted) {
    const hash = getHash(data);
    const seen = {
      blocks: times.get(data) ?? 0,
      sequenced: sequenced.get(hash) ?? 0,
      refused: refused.get(hash) ?? 0,
    };
    // Bad items may have got through while the sequencer was not strict.
    const isRefused = isBad && seen.blocks === 0;
    const expected = isRefused ? { blocks: 0, sequenced: 0, refused: 1 } : { blocks: 1, sequenced: 1, refused: 0 };
    // Items on their way to the disk in a crash are taken up, or not.
    const isNowhere = !acknowledged && seen.blocks + seen.sequenced + seen.refused === 0;
    if (!isNowhere && JSON.stringify(seen) !== JSON.stringify(expected)) {
      problems.push(`${data.slice(0, 8)} of ${submitted.length}: ${JSON.stringify(seen)}`);
    }
  }
  for (const { data, rollup, hash, height } of sequencer.ordered) {
    const record = outcome.composer.outcomes.find(rollup as never, getHash(data) as never);
    if (record?.kind !== 'sequenced' || record.transaction !== hash || record.height !== height) {
      problems.push(`${data.slice(0, 8)} is reported as ${record?.kind}, not as it is in block ${height}`);
    }
  }
  for (const bundle of outcome.bundles) problems.push(...problemsOfBundle(bundle, outcome));
  // A bundle that is halved comes after bundles sent behind it; submissions lost in a crash come when repeated.
  if (!faults.repeats && !faults.intruder && !faults.poison && !faults.failures && !faults.moods) {
    const places = new Map(submitted.map(({ data }, index) => [data, index]));
    const last = new Map<string, number>();
    for (const { rollup, data } of sequencer.ordered) {
      const place = places.get(data) ?? -1;
      if (place < (last.get(rollup) ?? -1)) problems.push(`${data.slice(0, 8)} is out of order`);
      last.set(rollup, place);
    }
  }
  return problems;
}

/** It is in a block as a whole, in order and in one transaction, or nowhere; and that is reported by its id. */
function problemsOfBundle({ id, entries }: SubmittedBundle, { sequencer, composer }: OutcomeRecord): string[] {
  const first = sequencer.ordered.findIndex(({ data }) => data === entries[0]?.data);
  const found = first < 0 ? [] : sequencer.ordered.slice(first, first + entries.length);
  const transactions = new Set(found.map(({ hash }) => hash));
  const isWhole =
    transactions.size === 1 &&
    entries.every(({ rollup, data }, index) => found[index]?.data === data && found[index]?.rollup === rollup);
  const isNowhere = entries.every(({ data }) => !sequencer.ordered.some((each) => each.data === data));
  const name = `bundle ${id.slice(0, 8)} of ${entries.length}`;
  if (!isWhole && !isNowhere) return [`${name} is in blocks in part`];
  const state = composer.outcomes.find(GROUPS, id as TxHash);
  const [{ hash = undefined, height = undefined } = {}] = found;
  const isReported = isWhole
    ? state?.kind === 'sequenced' && state.transaction === hash && state.height === height
    : state?.kind !== 'sequenced';
  return isReported ? [] : [`${name} is reported as ${state?.kind}`];
}
