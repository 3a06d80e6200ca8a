import { isTable, valueAt } from '../dev/files/toml.ts';
import type { EvmOutcome, Journey } from './facts.ts';

const AT_A_TIME = 32;

/** The query for the outcomes of the newest transactions that are still open; undefined when none is. */
export function outcomesUrl(evm: string, path: readonly Journey[]): string | undefined {
  const open = path.filter(({ evm: known, refused }) => known?.end === undefined && refused === undefined);
  const asked = open.slice(0, AT_A_TIME).map(({ hash }) => hash);
  return asked.length === 0 ? undefined : `${evm}/v1/outcomes?submissions=${asked.join(',')}`;
}

/** Adds what the node answers to what was known before. */
export function withOutcomes(
  path: readonly Journey[],
  before: readonly Journey[],
  answer: unknown,
): readonly Journey[] {
  const outcomes = new Map(before.flatMap(({ hash, evm }) => (evm === undefined ? [] : [[hash, evm] as const])));
  const transactions = valueAt(answer, ['transactions']);
  for (const each of Array.isArray(transactions) ? transactions : []) {
    if (!isTable(each)) continue;
    const { submission, hash, outcome } = each;
    if (typeof submission === 'string' && typeof hash === 'string')
      outcomes.set(submission, { hash, end: endOf(outcome) });
  }
  if (outcomes.size === 0) return path;
  return path.map((journey) => {
    const evm = outcomes.get(journey.hash);
    return evm === undefined ? journey : { ...journey, evm };
  });
}

function endOf(outcome: unknown): EvmOutcome['end'] {
  if (!isTable(outcome)) return undefined;
  const { kind, success, reason, by } = outcome;
  if (kind === 'included') return { kind: success === false ? 'reverted' : 'succeeded' };
  return { kind: 'skipped', why: kind === 'replaced' ? `replaced by ${String(by)}` : `refused: ${String(reason)}` };
}
