import { status } from '@switchyard/withdrawer/contract';
import { readValue } from '../files/read-json.ts';

/** Withdrawals of a rollup, and whether its bridge account holds what it owes. */
export interface Withdrawals {
  readonly service: string;
  readonly rollup?: string | undefined;
  readonly paid: number;
  /** Read, and neither paid nor held. */
  readonly waiting: number;
  /** They cannot be paid now. */
  readonly held: number;
  /** Amount that the bridge account lacks, in the asset's smallest unit; absent where it lacks nothing. */
  readonly missing?: string | undefined;
}

/** In the answer of a withdrawer to `/status`; none while it has read nothing. */
export function withdrawalsIn(service: string, answer: unknown): Withdrawals[] {
  const read = readValue(answer, status.read);
  if (read === undefined) return [];
  const { rollup, paid, open, held, sheet } = read;
  const missing = sheet?.isBalanced === false ? sheet.surplus.replace('-', '') : undefined;
  return [{ service, rollup: rollup ?? undefined, paid, waiting: open - held, held, missing }];
}
