import { txHashOf } from '@switchyard/protocol';
import type { SubmissionState } from '@switchyard/rollup/execution';
import { anySignal, isAbort, sleep, turn, withDeadline } from '@switchyard/service';
import { fitsLater, isHopeless } from './again.ts';
import type { PoolCore } from './core.ts';
import type { ChainOutcome, LocalOutcome } from './deps.ts';
import { type Entry, waitsFor } from './entries.ts';

const EVERY_MS = 1_000;
const AT_A_TIME = 64;
const ASK_MS = 2_000;
const KEEP_AFTER_MS = 2_000;
const KEPT_BATCH_SIZE = 1_000;
/** Senders; each has a few dozen transactions at most, as a rule. */
const REVIEWED_PER_TURN = 16;

/** Looks after slow transactions, until the signal aborts: sends those that can be sent, drops those that no block will hold. */
export async function sweep(core: PoolCore, signal: AbortSignal): Promise<void> {
  const observe = observePool(core);
  try {
    for (;;) {
      await pause(core, signal);
      observe();
      expireHeld(core);
      core.keepSent(KEEP_AFTER_MS, KEPT_BATCH_SIZE);
      await reviewHeld(core);
      await lookAtOld(core, signal);
    }
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  }
}

/** A second, or less if there is something to look at. */
async function pause({ clock, doubt }: PoolCore, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = anySignal(signal, over.signal);
  try {
    await Promise.race([sleep(EVERY_MS, either, clock), doubt.wait(either)]);
  } finally {
    over.abort();
  }
}

function expireHeld(core: PoolCore): void {
  const { bounds, clock, entries } = core;
  for (const entry of [...entries.held()]) {
    if (entry.since + bounds.heldMs > clock.now()) continue;
    const hours = Math.round(bounds.heldMs / 3_600_000);
    const reason = `held for ${hours} hours: ${waitsFor(entry) ?? 'a nonce before it never came'}`;
    core.remove(entry, { kind: 'refused', code: 'expired', reason });
  }
}

/** After a restart thousands are sent at once. */
async function reviewHeld(core: PoolCore): Promise<void> {
  const senders = new Set([...core.entries.held()].map(({ from }) => from));
  for (const [index, address] of [...senders].entries()) {
    core.review(address);
    if (index % REVIEWED_PER_TURN === REVIEWED_PER_TURN - 1) await turn();
  }
}

async function lookAtOld(core: PoolCore, signal: AbortSignal): Promise<void> {
  for (const entry of due(core)) {
    let state: SubmissionState | undefined;
    try {
      state = await askComposer(core, entry.raw, signal);
    } catch {
      // The composer is unreachable, which the forwarder logs; the next sweep asks again.
      return;
    }
    const outcome = await core.deps.chain.outcome(entry.hash);
    if (core.entries.get(entry.hash) !== entry || entry.progress.kind === 'forwarding') continue;
    const next = verdict(state, outcome, core.deps.chain.sequencerHeight);
    // If a block has refused it, the composer learns of that block soon.
    entry.lookAt = core.clock.now() + (outcome === undefined ? core.lookAfterMs : EVERY_MS);
    if (next === 'gone' || (next === 'again' && isHopeless(entry))) core.remove(entry);
    else if (next === 'again' || (next === 'lost' && entry.isFound)) {
      core.holdAgain(entry);
      core.review(entry.from);
    } else if (next === 'lost') {
      core.log.warn(
        { transaction: entry.hash },
        'composer lost a transaction that it had acknowledged; resubmitting it',
      );
      core.forward(entry);
    } else if (next !== 'wait') core.remove(entry, next);
  }
}

function due({ clock, entries }: PoolCore): Entry[] {
  const now = clock.now();
  const found: Entry[] = [];
  for (const entry of entries.sent()) {
    if (entry.progress.kind === 'forwarding' || entry.lookAt > now) continue;
    found.push(entry);
    if (found.length === AT_A_TIME) break;
  }
  return found;
}

/** Asks the composer for the state of these bytes. @throws if it does not answer in time. */
export function askComposer(
  core: PoolCore,
  raw: Uint8Array,
  signal: AbortSignal,
): Promise<SubmissionState | undefined> {
  return withDeadline({ ms: ASK_MS, signal, what: 'the question to the composer' }, (limited) =>
    core.deps.collector.submission(txHashOf(raw), limited),
  );
}

/**
 * Decides the outcome of a transaction that was sent, from the answers of composer and chain.
 *
 * @param executedTo Height of the last sequencer block that was executed here.
 */
export function verdict(
  state: SubmissionState | undefined,
  outcome: ChainOutcome | undefined,
  executedTo: bigint,
): 'wait' | 'gone' | 'again' | 'lost' | LocalOutcome {
  if (outcome?.kind === 'included') return 'gone';
  const over = outcome !== undefined && fitsLater(outcome.code) ? 'again' : 'gone';
  switch (state?.kind) {
    case 'queued':
    case 'bundled':
      return 'wait';
    case 'refused':
      return { kind: 'refused', code: 'composer', reason: state.reason };
    case 'sequenced':
      if (state.height > executedTo) return 'wait';
      if (outcome !== undefined) return over;
      return {
        kind: 'refused',
        code: 'not-executed',
        reason: `sequenced at height ${state.height} and not in a block`,
      };
    case undefined:
      return outcome === undefined ? 'lost' : over;
  }
}

/** @returns a function that updates the pool's metrics. */
function observePool({ deps: { metrics }, entries }: PoolCore): () => void {
  if (metrics === undefined) return () => undefined;
  const sent = metrics.gauge('pool_sent_transactions', 'transactions that the composer has and no block yet');
  const held = metrics.gauge('pool_held_transactions', 'transactions that wait here for a nonce before them');
  const bytes = metrics.gauge('pool_bytes', 'bytes of all of them');
  return () => {
    sent.set(entries.sentCount);
    held.set(entries.heldCount);
    bytes.set(entries.sentBytes + entries.heldBytes);
  };
}
