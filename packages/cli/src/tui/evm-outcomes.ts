import { flag, ifValid, mapped, object, type Read, text, validItems } from '@switchyard/service/input';
import { readValue } from '../dev/files/read-json.ts';
import type { EvmOutcome, Journey } from './facts.ts';

const AT_A_TIME = 32;

/** The query for the outcomes of the newest transactions without one; undefined when all have one. */
export function outcomesUrl(evm: string, path: readonly Journey[]): string | undefined {
  const open = path.filter(({ evm: known, refused }) => known?.end === undefined && refused === undefined);
  const asked = open.slice(0, AT_A_TIME).map(({ hash }) => hash);
  return asked.length === 0 ? undefined : `${evm}/v1/outcomes?submissions=${asked.join(',')}`;
}

/** Adds the outcomes that the node returned to those already known. */
export function withOutcomes(
  path: readonly Journey[],
  before: readonly Journey[],
  answer: unknown,
): readonly Journey[] {
  const outcomes = new Map(before.flatMap(({ hash, evm }) => (evm === undefined ? [] : [[hash, evm] as const])));
  for (const { submission, ...known } of readValue(answer, answered) ?? []) outcomes.set(submission, known);
  if (outcomes.size === 0) return path;
  return path.map((journey) => {
    const evm = outcomes.get(journey.hash);
    return evm === undefined ? journey : { ...journey, evm };
  });
}

const outcome: Read<EvmOutcome['end']> = mapped(
  object({ kind: text, success: ifValid(flag), reason: ifValid(text), by: ifValid(text) }),
  ({ kind, success, reason, by }) => {
    if (kind === 'included') return { kind: success === false ? 'reverted' : 'succeeded' };
    return { kind: 'skipped', why: kind === 'replaced' ? `replaced by ${by}` : `refused: ${reason}` };
  },
);
const transaction = mapped(
  object({ submission: text, hash: text, outcome: ifValid(outcome) }),
  ({ outcome: end, ...known }) => ({
    ...known,
    end,
  }),
);
const answered: Read<readonly (EvmOutcome & { readonly submission: string })[]> = (answer) =>
  validItems(transaction)(answer.at('transactions'));
