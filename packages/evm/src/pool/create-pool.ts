import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { Forwarded } from '@switchyard/rollup/execution';
import { serverError } from '../json/errors.ts';
import { admission } from './admission.ts';
import { PoolCore } from './core.ts';
import type { PoolBounds, PoolDeps, RunningPool, SignedTransaction } from './deps.ts';
import type { Entry } from './entries.ts';
import type { PoolTransaction } from './pool.ts';
import { loadHeld, restore } from './restore.ts';
import { getStatus } from './status.ts';
import { sweep } from './sweep.ts';

export const POOL_BOUNDS: PoolBounds = {
  maxSent: 65_536,
  maxSentBytes: 64 * 1_048_576,
  maxHeldOfSender: 64,
  maxHeld: 4_096,
  maxHeldBytes: 16 * 1_048_576,
  heldMs: 24 * 3_600_000,
  answerWithinMs: 15_000,
};

/** A pool with the entries of an earlier run on disk. Nothing is sent on before `work` runs. */
export function createPool(deps: PoolDeps): RunningPool {
  const core = new PoolCore(deps, { ...POOL_BOUNDS, ...deps.bounds }, restore);
  const { entries, accounts, forwarder } = core;
  loadHeld(core);

  async function send(raw: Uint8Array): Promise<Hash> {
    const tx = deps.checkLater === undefined ? deps.check(raw) : await deps.checkLater(raw);
    const found = accounts.get(tx.from);
    const account = found instanceof Promise ? await found : found;
    const known = entries.get(tx.hash);
    if (known !== undefined && !known.isAcknowledged) return sendAgain(known);
    if (known !== undefined) throw serverError('already known');
    const admitted = admission(tx, raw.length, core.toSituation(account));
    return admitted.kind === 'send' ? sendOn(tx, raw, admitted.replaces) : hold(tx, raw, admitted.replaces);
  }

  function sendOn(tx: SignedTransaction, raw: Uint8Array, replaces: Entry | undefined): Promise<Hash> {
    const busy = forwarder.refusal(1, raw.length);
    if (busy !== undefined) throw notAccepted(busy);
    const entry = core.toEntry(tx, raw, { kind: 'sent' });
    entry.replaces = replaces;
    if (replaces !== undefined) entries.remove(replaces);
    entries.add(entry);
    const answered = answer(core, entry);
    core.forward(entry);
    return answered;
  }

  /** Its sender has no acknowledgement yet, so this one gets none either before that is due. */
  async function sendAgain(entry: Entry): Promise<Hash> {
    if (entry.progress.kind === 'forwarding') return answer(core, entry);
    if (entry.progress.kind !== 'unclear') return keep(entry);
    const busy = forwarder.refusal(1, entry.raw.length);
    if (busy !== undefined) throw unclear(entry.hash, busy);
    const answered = answer(core, entry);
    core.promote(entry.from);
    return answered;
  }

  async function keep(entry: Entry): Promise<Hash> {
    try {
      await core.keep(entry);
      entry.isAcknowledged = true;
      return entry.hash;
    } catch {
      throw serverError(`nonce ${entry.nonce} waits for one before it, and this node cannot write that to its disk`);
    }
  }

  async function hold(tx: SignedTransaction, raw: Uint8Array, replaces: Entry | undefined): Promise<Hash> {
    const entry = core.toEntry(tx, raw, { kind: 'held' });
    if (replaces !== undefined) entries.remove(replaces);
    entries.add(entry);
    try {
      await keep(entry);
    } catch (error) {
      entries.remove(entry);
      if (replaces !== undefined) entries.add(replaces);
      throw error;
    }
    if (replaces !== undefined) core.replaced(replaces, tx.hash);
    return tx.hash;
  }

  return {
    send,
    get: (hash) => entries.get(hash),
    status: (hash) => getStatus(core, hash),
    nextNonce(address) {
      const account = accounts.get(address);
      return entries.nextNonce(address, account instanceof Promise ? 0n : account.nonce);
    },
    async pendingNonce(address) {
      const { nonce } = await accounts.get(address);
      return entries.nextNonce(address, nonce);
    },
    ofSender: (address) => entries.ofSender(address),
    content: (limit) => ({
      pending: bySender(first(entries.sent(), limit)),
      queued: bySender(first(entries.held(), limit)),
    }),
    pending: (limit) => first(entries.sent(), limit),
    onPending: (listener) => core.onPending(listener),
    get trouble() {
      return forwarder.trouble;
    },
    get counts() {
      return { sent: entries.sentCount, held: entries.heldCount };
    },
    async outcomes(submissions) {
      const known = submissions.flatMap((submission) => {
        const hash = core.submissions.get(submission);
        return hash === undefined ? [] : [{ submission, hash }];
      });
      return Promise.all(
        known.map(async ({ submission, hash }) => {
          const outcome = await deps.chain.outcome(hash);
          if (outcome?.kind === 'included') return { submission, hash, outcome };
          // Refused by a block and still here: it is sent again.
          const isOver = entries.get(hash) === undefined;
          return { submission, hash, outcome: isOver ? (core.outcomes.get(hash) ?? outcome) : undefined };
        }),
      );
    },
    async work(signal) {
      core.signal = signal;
      await Promise.all([forwarder.run(signal), core.watch.run(signal), sweep(core, signal)]);
      core.keepSent(0, Number.POSITIVE_INFINITY);
      core.journal.flush();
    },
  };
}

/** Resolves when the composer has it. @throws {JsonRpcError} -32000 otherwise, saying whether it may be there. */
function answer(core: PoolCore, entry: Entry): Promise<Hash> {
  const { hash } = entry;
  return new Promise((resolve, reject) => {
    core.waiters.add(hash, (outcome) => {
      const error = outcome === undefined ? unclear(hash, tooSlow(core.bounds)) : toError(hash, outcome);
      if (error === undefined) resolve(hash);
      else reject(error);
    });
  });
}

const tooSlow = ({ answerWithinMs }: PoolBounds) =>
  `the composer has not answered for ${answerWithinMs / 1_000} seconds`;

function toError(hash: Hash, outcome: Forwarded): Error | undefined {
  switch (outcome.kind) {
    case 'accepted':
      return undefined;
    case 'refused':
      return serverError(`the composer refused it: ${outcome.reason}`);
    case 'unavailable':
      return notAccepted(outcome.reason);
    case 'unclear':
      return unclear(hash, outcome.reason);
  }
}

function notAccepted(reason: string): Error {
  return serverError(`nothing was accepted: ${reason}; send it again later`);
}

function unclear(hash: Hash, reason: string): Error {
  return serverError(
    `${reason}; transaction ${hash} may be on its way: ask switchyard_transactionStatus, or send the same bytes again`,
  );
}

function first(all: Iterable<Entry>, limit = Number.POSITIVE_INFINITY): Entry[] {
  const found: Entry[] = [];
  for (const entry of all) {
    if (found.length >= limit) break;
    found.push(entry);
  }
  return found;
}

/** Transactions by sender, in the order of nonces. */
export function bySender(all: readonly PoolTransaction[]): ReadonlyMap<Address, readonly PoolTransaction[]> {
  const found = new Map<Address, PoolTransaction[]>();
  for (const entry of all) {
    const list = found.get(entry.from);
    if (list === undefined) found.set(entry.from, [entry]);
    else list.push(entry);
  }
  for (const list of found.values()) list.sort((a, b) => (a.nonce < b.nonce ? -1 : 1));
  return found;
}
