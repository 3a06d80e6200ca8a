import type { Hash } from '@switchyard/evm-machine/types';
import type { SubmissionState } from '@switchyard/rollup/execution';
import type { PoolCore } from './core.ts';
import { type Entry, unclearSince, waitsFor } from './entries.ts';
import { statusOfOutcome, type TransactionStatus } from './pool.ts';
import { askComposer, verdict } from './sweep.ts';

/** The status of a transaction: by blocks first, then by this node's pool, then by the composer. */
export async function getStatus(core: PoolCore, hash: Hash): Promise<TransactionStatus> {
  const outcome = await core.deps.chain.outcome(hash);
  if (outcome?.kind === 'included') return statusOfOutcome(outcome);
  const entry = core.entries.get(hash);
  if (entry !== undefined && unclearSince(entry) !== undefined) return unclearStatus(entry);
  if (entry?.state === 'held') return heldStatus(core, entry);
  if (entry !== undefined) return sentStatus(core, entry);
  const local = core.outcomes.get(hash);
  if (local !== undefined) return statusOfOutcome(local);
  return outcome === undefined ? { status: 'unknown' } : statusOfOutcome(outcome);
}

function unclearStatus(entry: Entry): TransactionStatus {
  return { status: 'unclear', reason: waitsFor(entry) ?? 'the composer is queried again' };
}

async function heldStatus({ accounts, entries }: PoolCore, entry: Entry): Promise<TransactionStatus> {
  const { from, nonce } = entry;
  const reason = waitsFor(entry);
  const account = await accounts.get(from);
  const missing = entries.nextNonce(from, account.nonce);
  if (missing < nonce) return { status: 'held', missing, reason: `waits for the transaction with nonce ${missing}` };
  return { status: 'held', missing, ...(reason !== undefined && { reason }) };
}

async function sentStatus(core: PoolCore, entry: Entry): Promise<TransactionStatus> {
  const state = await askComposer(core, entry.raw, core.signal).catch(() => undefined);
  // A block may have come while the composer was queried.
  const outcome = await core.deps.chain.outcome(entry.hash);
  if (outcome?.kind === 'included') return statusOfOutcome(outcome);
  const isOver = core.entries.get(entry.hash) === undefined;
  const local = core.outcomes.get(entry.hash);
  if (isOver && local !== undefined) return statusOfOutcome(local);
  if (isOver && outcome !== undefined) return statusOfOutcome(outcome);
  // A composer that does not answer may have another copy, which is still to come.
  const isDecided = state !== undefined && verdict(state, outcome, core.deps.chain.sequencerHeight) === 'gone';
  if (isDecided && outcome !== undefined) return statusOfOutcome(outcome);
  return composerStatus(state);
}

/** A composer that is away knows nothing; transactions handed over by this node are queued there. */
function composerStatus(state: SubmissionState | undefined): TransactionStatus {
  switch (state?.kind) {
    case 'bundled':
      return { status: 'bundled' };
    case 'sequenced':
      return { status: 'sequenced', sequencerHeight: state.height };
    case 'refused':
      return { status: 'refused', code: 'composer', reason: state.reason };
    case 'queued':
    case undefined:
      return { status: 'queued' };
  }
}
