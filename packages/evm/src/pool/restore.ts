import { txHashOf } from '@switchyard/protocol';
import type { SubmissionState } from '@switchyard/rollup/execution';
import { JsonRpcError, turn } from '@switchyard/service';
import { admissionOfFound } from './admission.ts';
import { fitsLater, nonceTooLow } from './again.ts';
import type { PoolCore } from './core.ts';
import type { ChainOutcome, SignedTransaction } from './deps.ts';
import type { Entry } from './entries.ts';
import { verdict } from './sweep.ts';

/** Transactions that are looked at before other work gets its turn, and whose senders are looked for together. */
const PER_TURN = 256;

/** Takes in entries held on disk by an earlier run. They are sent once the composer is known not to have them. */
export function loadHeld(core: PoolCore): void {
  for (const { hash, raw, from, receivedAt } of core.deps.store.held()) {
    try {
      const tx = core.deps.check(raw, from);
      const entry = core.toEntry(tx, raw, { kind: 'restored' }, receivedAt);
      Object.assign(entry, { isAcknowledged: true, isKept: true });
      const other = core.entries.at(tx.from, tx.nonce);
      // The later one was accepted in its place, and the process ended before that was written.
      if (other !== undefined) core.remove(other, { kind: 'replaced', by: hash });
      core.entries.add(entry);
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      core.journal.release(hash);
      core.recordOutcome(hash, { kind: 'refused', code: 'invalid', reason: error.rpcMessage });
    }
  }
}

/**
 * Counts the composer's transactions as sent, so that nonces continue after it, and finds out which of the transactions on our
 * disk it has had. Called each time a composer is found, before anything is sent to it.
 *
 * @param found Blocks of the sequencer first, those among them that were executed shortly before this process started:
 * an earlier process may have ended before it noted their refusals for now.
 */
export async function restore(core: PoolCore, found: AsyncIterable<readonly Uint8Array[]>): Promise<void> {
  for await (const piece of found) {
    for (let at = 0; at < piece.length; at += PER_TURN) {
      await restoreSome(core, piece.slice(at, at + PER_TURN));
      await turn();
    }
  }
  await askAboutHeld(core);
}

async function restoreSome(core: PoolCore, found: readonly Uint8Array[]): Promise<void> {
  const unknown: { readonly raw: Uint8Array; readonly outcome: ChainOutcome | undefined }[] = [];
  for (const raw of found) {
    const hash = core.deps.findHash(raw);
    const outcome = await core.deps.chain.outcome(hash);
    const known = core.entries.get(hash);
    if (known === undefined) {
      if (outcome === undefined || isPostponed(outcome)) unknown.push({ raw, outcome });
      // Otherwise this may be the copy that the block refused: the composer is queried for another.
    } else if (known.state === 'held' && outcome === undefined) core.markSent(known);
  }
  const checked = await Promise.all(unknown.map(({ raw }) => checkFound(core, raw)));
  for (const [index, { raw, outcome }] of unknown.entries()) {
    const tx = checked[index];
    if (tx !== undefined) await enter(core, tx, raw, outcome);
  }
}

const isPostponed = (outcome: ChainOutcome) => outcome.kind === 'refused' && fitsLater(outcome.code);

async function enter(core: PoolCore, tx: SignedTransaction, raw: Uint8Array, outcome: ChainOutcome | undefined) {
  const { accounts, entries } = core;
  const account = await accounts.get(tx.from);
  if (entries.get(tx.hash) !== undefined) return;
  let replaced: Entry | undefined;
  try {
    replaced = admissionOfFound(tx, raw.length, core.toSituation(account));
  } catch (error) {
    // Its block decides about it, and records that.
    if (error instanceof JsonRpcError) return;
    throw error;
  }
  if (replaced !== undefined) core.remove(replaced, { kind: 'replaced', by: tx.hash });
  // A copy: the bytes are a piece of a message with many of them.
  const entry = core.toEntry(tx, Uint8Array.from(raw), { kind: outcome === undefined ? 'sent' : 'restored' });
  Object.assign(entry, { isAcknowledged: true, isFound: true });
  entries.add(entry);
}

/** Anybody can hand the composer any bytes; only transactions that would pass here count. */
async function checkFound({ deps }: PoolCore, raw: Uint8Array): Promise<SignedTransaction | undefined> {
  try {
    return await (deps.checkLater ?? deps.check)(raw);
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  }
}

const ASKED_BATCH_SIZE = 256;

/** The process may have ended between the composer's answer and our note of it. */
async function askAboutHeld(core: PoolCore): Promise<void> {
  const open = [...core.entries.held()].filter(({ progress }) => progress.kind === 'restored');
  for (let at = 0; at < open.length; at += ASKED_BATCH_SIZE) {
    const batch = open.slice(at, at + ASKED_BATCH_SIZE);
    const hashes = batch.map(({ raw }) => txHashOf(raw));
    const states = await core.deps.collector.submissions(hashes, core.signal);
    await Promise.all(batch.map((entry, index) => settleHeld(core, entry, states[index])));
  }
  for (const address of new Set(open.filter(({ isFound }) => isFound).map(({ from }) => from))) core.review(address);
}

async function settleHeld(core: PoolCore, entry: Entry, state: SubmissionState | undefined): Promise<void> {
  const { accounts, deps, entries } = core;
  const outcome = await deps.chain.outcome(entry.hash);
  const { nonce } = await accounts.get(entry.from);
  if (entries.get(entry.hash) !== entry || entry.progress.kind !== 'restored') return;
  const next = verdict(state, outcome, deps.chain.sequencerHeight);
  if (next === 'gone') core.remove(entry);
  else if (entry.nonce < nonce) core.remove(entry, nonceTooLow(entry.nonce, nonce));
  else if (next === 'wait') core.markSent(entry);
  else if (entry.isFound) core.holdAgain(entry);
  else entries.move(entry, { kind: 'held' });
}
