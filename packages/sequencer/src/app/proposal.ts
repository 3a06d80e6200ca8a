/**
 * The entries of a block: the root over the rollups' data, the root over their ids, then transactions as submitted.
 * Proposing and checking are two views of one rule, so they share this file.
 */

import { nonces, type StateReader } from '@switchyard/machine';
import { equalBytes, GROUP_RANK, Rejected, type SequencerTransaction } from '@switchyard/protocol';
import type { SequencerEvent } from './actions/handler.ts';
import type { BlockExecution, ExecutedBlock } from './execution.ts';
import { isNewValidator } from './tables/authority.ts';
import { type Chain, requiresCanonical } from './tables/chain.ts';
import type { Transactions } from './transactions.ts';
import type { EngineSupport } from './types.ts';

export const INJECTED_ENTRIES = 2;
/** Two roots. */
const INJECTED_BYTES = INJECTED_ENTRIES * sizeInBlock(32);

/** Bytes that CometBFT sets aside in each block for every validator's signature. It panics if none are left besides them. */
const COMMIT_SIGNATURE_BYTES = 109;
const LEAST_ROOM = 4_096;

/** Outcome of one transaction of a block. */
export type Outcome =
  | { readonly tx: SequencerTransaction; readonly events: readonly SequencerEvent[] }
  | { readonly refused: string };

/** A block that was executed, by whichever call needed it first. */
export interface Executed extends ExecutedBlock {
  readonly entries: readonly Uint8Array[];
  /** One for each transaction, that is from the third entry on. */
  readonly outcomes: readonly Outcome[];
}

/** Why a proposed block may not be decided. */
export class BadProposal extends Error {
  override readonly name = 'BadProposal';
}

export interface Filling {
  /** In the order in which they should be tried. */
  readonly candidates: readonly SequencerTransaction[];
  readonly maxTxBytes: number;
  readonly chain: Chain;
  readonly support: EngineSupport;
  /** Called for a transaction that can never be executed as it stands. */
  onFailed(tx: SequencerTransaction, why: string): void;
}

/** Fills a block. Transactions that do not fit, or are not due yet, stay for a later one. */
export function fillBlock(execution: BlockExecution, { candidates, maxTxBytes, chain, support, onFailed }: Filling) {
  const outcomes: Outcome[] = [];
  const chosen: Uint8Array[] = [];
  let bytes = INJECTED_BYTES;
  let sequenced = 0;
  let validators = 0;
  let rank = Number.POSITIVE_INFINITY;
  for (const tx of candidates) {
    const size = sizeInBlock(tx.bytes.length);
    // A transaction that no block has room for must not keep the others waiting until it expires.
    if (INJECTED_BYTES + size > maxTxBytes) continue;
    if (bytes + size > maxTxBytes) break;
    const ofThis = sequencedBytes(tx);
    if (sequenced + ofThis > chain.maxSequencedBytesPerBlock || GROUP_RANK[tx.group] > rank) continue;
    // An earlier transaction of the account is not in this block, or another one came first.
    if (nonces.get(execution.state, tx.signer) !== tx.nonce) continue;
    try {
      for (const action of tx.actions) support(action);
      const added = validators + validatorsAddedBy(tx, execution.state);
      if (added > validators) mustLeaveRoom(maxTxBytes - added * COMMIT_SIGNATURE_BYTES);
      outcomes.push({ tx, events: execution.run(tx) });
      validators = added;
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      onFailed(tx, error.message);
      continue;
    }
    chosen.push(tx.bytes);
    bytes += size;
    sequenced += ofThis;
    rank = GROUP_RANK[tx.group];
  }
  const block = execution.finish();
  const { rollupTransactionsRoot, rollupIdsRoot } = block.committed;
  return { ...block, outcomes, entries: [rollupTransactionsRoot, rollupIdsRoot, ...chosen] };
}

/**
 * Executes another proposer's block by the rules.
 *
 * @throws {BadProposal} with the first rule it breaks.
 */
export function checkBlock(
  execution: BlockExecution,
  entries: readonly Uint8Array[],
  { chain, transactions }: { readonly chain: Chain; readonly transactions: Transactions },
): Executed {
  const [transactionsRoot, idsRoot] = entries;
  if (transactionsRoot?.length !== 32 || idsRoot?.length !== 32) {
    throw new BadProposal('the first two entries are not two roots of 32 bytes');
  }
  const canonical = requiresCanonical(execution.state);
  const outcomes: Outcome[] = [];
  let sequenced = 0;
  let rank = Number.POSITIVE_INFINITY;
  for (const [index, bytes] of entries.entries()) {
    if (index < INJECTED_ENTRIES) continue;
    if (bytes.length > chain.maxTransactionBytes) {
      throw new BadProposal(`entry ${index} has ${bytes.length} bytes, expected at most ${chain.maxTransactionBytes}`);
    }
    const tx = accepting(index, () => transactions.inBlock(bytes, canonical));
    sequenced += sequencedBytes(tx);
    if (sequenced > chain.maxSequencedBytesPerBlock) {
      throw new BadProposal(`entry ${index} brings the rollup data over ${chain.maxSequencedBytesPerBlock} bytes`);
    }
    if (GROUP_RANK[tx.group] > rank) throw new BadProposal(`entry ${index} of group ${tx.group} comes too late`);
    rank = GROUP_RANK[tx.group];
    outcomes.push({ tx, events: accepting(index, () => execution.run(tx)) });
  }
  const block = execution.finish();
  if (!equalBytes(transactionsRoot, block.committed.rollupTransactionsRoot)) {
    throw new BadProposal('the root over the rollup data differs');
  }
  if (!equalBytes(idsRoot, block.committed.rollupIdsRoot))
    throw new BadProposal('the root over the rollup ids differs');
  return { ...block, outcomes, entries };
}

/** Executes a block that was decided elsewhere: failures are recorded and change nothing. */
export function executeDecided(
  execution: BlockExecution,
  entries: readonly Uint8Array[],
  { transactions }: { readonly transactions: Transactions },
): Executed {
  const canonical = requiresCanonical(execution.state);
  const outcomes = entries.slice(INJECTED_ENTRIES).map((bytes): Outcome => {
    try {
      const tx = transactions.inBlock(bytes, canonical);
      return { tx, events: execution.run(tx) };
    } catch (error) {
      if (error instanceof Rejected) return { refused: error.message };
      throw error;
    }
  });
  return { ...execution.finish(), outcomes, entries };
}

function accepting<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Rejected) throw new BadProposal(`entry ${index}: ${error.message}`, { cause: error });
    throw error;
  }
}

function validatorsAddedBy({ actions }: SequencerTransaction, state: StateReader): number {
  return actions.filter((action) => action.kind === 'validatorUpdate' && isNewValidator(state, action)).length;
}

/** @throws {Rejected} `limit-reached`. */
function mustLeaveRoom(bytes: number): void {
  if (bytes >= LEAST_ROOM) return;
  throw new Rejected('limit-reached', {
    problem: 'the signatures of more validators would leave no room for transactions in a block',
    expected: `${LEAST_ROOM} bytes left`,
    got: Math.max(0, bytes),
  });
}

/** An entry as CometBFT counts it, which proposes nothing at all when the sum is above its limit: with tag and length. */
function sizeInBlock(length: number): number {
  let prefix = 2;
  for (let rest = length; rest >= 0x80; rest >>>= 7) prefix += 1;
  return prefix + length;
}

/** Bytes that count towards the block's limit: those of submissions, without envelopes and deposits. */
function sequencedBytes(tx: SequencerTransaction): number {
  let bytes = 0;
  for (const action of tx.actions) if (action.kind === 'rollupDataSubmission') bytes += action.data.length;
  return bytes;
}
