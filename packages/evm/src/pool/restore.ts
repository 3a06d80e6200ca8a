import { txHashOf } from '@switchyard/protocol';
import { JsonRpcError } from '@switchyard/service';
import { nonceTooLow } from './again.ts';
import type { PoolCore } from './core.ts';
import type { SignedTransaction } from './deps.ts';
import type { Entry } from './entries.ts';
import { verdict } from './sweep.ts';

/** How many signatures are looked at before other work gets its turn: a few milliseconds. */
const PER_TURN = 48;

/** Takes in what an earlier run held on our disk. It is sent once the composer was asked whether it has it. */
export function loadHeld(core: PoolCore): void {
  for (const { hash, raw, receivedAt } of core.deps.store.held()) {
    try {
      const tx = core.deps.check(raw);
      const entry = core.entryOf(tx, raw, { kind: 'restored' }, receivedAt);
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
 * Counts what the composer holds as sent, so that nonces continue after it, and finds out which of the transactions on our
 * disk it has had. Called each time a composer is found, before anything is sent to it.
 */
export async function restore(core: PoolCore, held: AsyncIterable<readonly Uint8Array[]>): Promise<void> {
  let looked = 0;
  for await (const piece of held) {
    for (const raw of piece) {
      await restoreOne(core, raw);
      looked += 1;
      if (looked % PER_TURN === 0) await new Promise(setImmediate);
    }
  }
  await askAboutHeld(core);
}

async function restoreOne(core: PoolCore, raw: Uint8Array): Promise<void> {
  const { accounts, deps, entries } = core;
  const known = entries.get(deps.hashOf(raw));
  if (known !== undefined) {
    if (known.state === 'held') core.markSent(known);
    return;
  }
  const tx = checked(core, raw);
  if (tx === undefined) return;
  const account = await accounts.get(tx.from);
  if (tx.nonce < account.nonce) return;
  const other = entries.at(tx.from, tx.nonce);
  if (other?.state === 'sent') return;
  if (other !== undefined) core.remove(other, { kind: 'replaced', by: tx.hash });
  // A copy: the bytes are a piece of a message with many of them.
  const entry = core.entryOf(tx, Uint8Array.from(raw), { kind: 'sent' });
  entry.isAcknowledged = true;
  entries.add(entry);
}

/** Anybody can hand the composer any bytes; only what would pass here counts. */
function checked({ deps }: PoolCore, raw: Uint8Array): SignedTransaction | undefined {
  try {
    return deps.check(raw);
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  }
}

const ASKED_BATCH_SIZE = 64;

/** The process may have ended between the composer's answer and our note of it. */
async function askAboutHeld(core: PoolCore): Promise<void> {
  const open = [...core.entries.held()].filter(({ progress }) => progress.kind === 'restored');
  for (let at = 0; at < open.length; at += ASKED_BATCH_SIZE) {
    await Promise.all(open.slice(at, at + ASKED_BATCH_SIZE).map((entry) => askAbout(core, entry)));
  }
}

async function askAbout(core: PoolCore, entry: Entry): Promise<void> {
  const { accounts, deps, entries } = core;
  const state = await deps.collector.submission(txHashOf(entry.raw), core.signal);
  const outcome = await deps.chain.outcome(entry.hash);
  const { nonce } = await accounts.get(entry.from);
  if (entries.get(entry.hash) !== entry || entry.progress.kind !== 'restored') return;
  const next = verdict(state, outcome, deps.chain.sequencerHeight);
  if (next === 'gone') core.remove(entry);
  else if (entry.nonce < nonce) core.remove(entry, nonceTooLow(entry.nonce, nonce));
  else if (next === 'wait') core.markSent(entry);
  else entries.move(entry, { kind: 'held' });
}
