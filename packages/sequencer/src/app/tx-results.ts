import { CODES } from './codes.ts';
import { abciEvents } from './events.ts';
import { INJECTED_ENTRIES, type Outcome } from './proposal.ts';
import type { TxResult } from './types.ts';

/** Result of an entry that changed nothing. */
export const NO_RESULT: TxResult = {
  code: CODES.ok[0],
  data: new Uint8Array(),
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  codespace: '',
};

/** One result for each entry of the block: a counting reader must never find fewer results than entries. */
export function txResults(outcomes: readonly Outcome[]): readonly TxResult[] {
  const injected = Array.from({ length: INJECTED_ENTRIES }, () => NO_RESULT);
  return [...injected, ...outcomes.map(toResult)];
}

function toResult(outcome: Outcome): TxResult {
  if ('events' in outcome) return { ...NO_RESULT, events: abciEvents(outcome.events) };
  const [code, info] = CODES.executionFailed;
  return { ...NO_RESULT, code, info, log: outcome.refused };
}
