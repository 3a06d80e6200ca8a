import type { FirmMeaning } from '@switchyard/protocol';
import { asList, asUint, decodeRlp, encodeRlp } from '@switchyard/protocol/ethereum';

/** Targets of a conductor's commitments. */
export interface CommitmentRow {
  /** Block numbers. */
  readonly soft: bigint;
  readonly firm: bigint;
  readonly lowestCelestiaSearchHeight: bigint;
  /** How the firm blocks became firm, in a row of its own; undefined until a conductor has stated it. */
  readonly firmMeaning?: FirmMeaning | undefined;
}

export function encodeCommitments({ soft, firm, lowestCelestiaSearchHeight }: CommitmentRow): Uint8Array {
  return encodeRlp([soft, firm, lowestCelestiaSearchHeight]);
}

export function decodeCommitments(bytes: Uint8Array): CommitmentRow {
  const [soft, firm, lowest] = asList(decodeRlp(bytes), 3);
  return { soft: asUint(soft, 8), firm: asUint(firm, 8), lowestCelestiaSearchHeight: asUint(lowest, 8) };
}
