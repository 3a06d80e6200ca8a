/** Digests of the inputs that the rollup's blocks must have been made from, by the sequencer's data. */
import { decodeRollupData, equalBytes, nextInputDigest, Rejected, type RollupData, toHex } from '@switchyard/protocol';
import type { VerifiedBlock } from './verify.ts';

/** A block of the rollup up to which the inputs are known to be the sequencer's. */
export interface KnownInputs {
  readonly number: bigint;
  readonly digest: Uint8Array;
}

/** The rollup's blocks were not made from the sequencer's blocks. Nothing may be executed on top of them. */
export class Diverged extends Error {
  override readonly name = 'Diverged';

  constructor(number: bigint, what: string, expected: string, got: string) {
    super(
      `block ${number} of the rollup was not made from the sequencer's data: expected ${what} ${expected}, got ${got}; another program has executed blocks there: remove the rollup's database and start it again, so that it is rebuilt from the sequencer, and have the Execution API ask for a secret (EXECUTION_AUTH=secret)`,
    );
  }
}

export function inputsAfter({ number, digest }: KnownInputs, block: VerifiedBlock): KnownInputs {
  const { transactions, time, hash } = block;
  const inputs = { entries: transactions.map(getEntry), timestamp: time, sequencerBlockHash: hash };
  return { number: number + 1n, digest: nextInputDigest(digest, inputs) };
}

/** @throws {Diverged} */
export function checkInputs({ number, digest }: KnownInputs, got: Uint8Array): void {
  if (!equalBytes(digest, got)) throw new Diverged(number, 'input digest', toHex(digest), toHex(got) || 'none');
}

/** Undecodable entries are passed over by every rollup. */
function getEntry(bytes: Uint8Array): RollupData {
  try {
    return decodeRollupData(bytes);
  } catch (error) {
    if (error instanceof Rejected) return { kind: 'unknown' };
    throw error;
  }
}
