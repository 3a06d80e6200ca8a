import { status } from '@switchyard/withdrawer/contract';
import { readValue } from '../files/read-json.ts';
import type { Withdrawals } from './network.ts';

/** In the answer of a withdrawer to `/status`; none while it has read nothing. */
export function withdrawalsIn(service: string, answer: unknown): Withdrawals[] {
  const read = readValue(answer, status.read);
  if (read === undefined) return [];
  const { rollup, paid, open, held, sheet } = read;
  const missing = sheet?.isBalanced === false ? sheet.surplus.replace('-', '') : undefined;
  return [{ service, rollup: rollup ?? undefined, paid, waiting: open - held, held, missing }];
}
