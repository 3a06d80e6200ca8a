import {
  type Action,
  formatAddress,
  parseDenom,
  Rejected,
  type Signer,
  signTransaction,
  type TxHash,
} from '@switchyard/protocol';
import { type Clock, JsonRpcError, retry, sleep, systemClock, TimedOut } from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import { QueryFailed, type TxResult } from '../sequencer/comet.ts';
import type { TxEvent } from '../sequencer/comet-json.ts';
import { type BlockReader, findInBlocks } from '../sequencer/find-in-blocks.ts';
import type { AssetAmount } from '../sequencer/queries.ts';
import type { SequencerClient } from '../sequencer/sequencer.ts';
import { verdictOf } from './verdict.ts';

/** Part of a sequencer client that submitting needs. */
export type Submittable = Pick<SequencerClient, 'nonce' | 'broadcastSync' | 'tx' | 'denom'> & BlockReader;

export interface SubmitOptions {
  readonly signal?: AbortSignal;
  /** For everything together, from the first question to the block. */
  readonly timeoutMs?: number;
  /** First pause between questions; it grows. */
  readonly pollMs?: number;
  /** Prefix of the signer's address. */
  readonly prefix?: string;
  readonly clock?: Clock;
}

export interface Submitted {
  readonly hash: TxHash;
  readonly height: bigint;
  readonly nonce: number;
  /** Paid fees, one entry for each asset. */
  readonly fees: readonly AssetAmount[];
}

/** The sequencer will not have the transaction, or executed it without success. Codes are the sequencer's. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused';

  constructor(
    readonly hash: TxHash,
    readonly code: number,
    readonly log: string,
    /** Position of its failure in a block; undefined if it got into none. */
    readonly height?: bigint,
  ) {
    const where =
      height === undefined ? 'refused the transaction' : `could not execute the transaction in block ${height}`;
    super(`the sequencer ${where}: ${log === '' ? 'no reason given' : log} (code ${code}, transaction ${hash})`);
  }
}

const INVALID_NONCE = 4;
const NONCE_TAKEN = 15;
const ALREADY_INCLUDED = 18;
/** The node held the transaction and has dropped it: expired, failed, or a lower nonce was dropped. */
const DROPPED: ReadonlySet<number> = new Set([9, 10, 12]);
/** Each retry means that another sender used the account at the same moment. */
const MAX_NONCE_ATTEMPTS = 20;
/** Sending again tells whether the node still has the transaction, and if not, why. */
const RESEND_MS = 2_000;
/** A node may know of a block some time before it can find the block's transactions. */
const INDEXED_WITHIN_MS = 10_000;
const MAX_POLL_MS = 1_000;

/**
 * Numbers, signs and sends a transaction and waits until it is in a block. If another user of the account took the
 * nonce, it is signed again with the next one; only one of the signed forms is ever able to be included.
 *
 * @throws {TransactionRefused} with code and reason of the sequencer.
 * @throws {TimedOut} if the time is over; the transaction may still be included later.
 */
export async function submitAndWait(
  client: Submittable,
  signer: Signer,
  { chainId, actions }: { readonly chainId: string; readonly actions: readonly Action[] },
  { signal, timeoutMs = 30_000, pollMs = 50, prefix, clock = systemClock }: SubmitOptions = {},
): Promise<Submitted> {
  const address = formatAddress(signer.account, prefix);
  const stop = new AbortController();
  const cancel = clock.after(timeoutMs, () => stop.abort(new TimedOut('the transaction', timeoutMs)));
  const forward = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  if (signal?.aborted === true) forward();
  const run: Run = { client, address, pollMs, clock, signal: stop.signal, silence: undefined };
  let sent: { readonly hash: TxHash; readonly nonce: number } | undefined;
  try {
    let { nonce, height } = await askOnce(run, () => client.nonce(address, stop.signal));
    for (let attempt = 1; attempt <= MAX_NONCE_ATTEMPTS; attempt += 1) {
      const bytes = signTransaction({ nonce, chainId, actions }, signer);
      const outcome = await sendUntilIncluded(run, { bytes, nonce, unspentAt: height }, (hash) => {
        sent = { hash, nonce };
      });
      if (outcome.kind === 'included') return await submitted(client, outcome.result, nonce, stop.signal);
      ({ nonce, height } = await nextNonce(run, nonce, outcome.code));
    }
    throw new Rejected('nonce-taken', { address, nonce, problem: 'the account is used by others all the time' });
  } catch (error) {
    if (!(stop.signal.aborted && stop.signal.reason instanceof TimedOut)) throw error;
    throw notIncluded(timeoutMs, sent, run.silence);
  } finally {
    cancel();
    signal?.removeEventListener('abort', forward);
  }
}

interface Run {
  readonly client: Submittable;
  readonly address: string;
  readonly pollMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Last failure of a call that is still without an answer. */
  silence: unknown;
}

interface Attempt {
  readonly bytes: Uint8Array;
  readonly nonce: number;
  /** A height at which the nonce was free, so that no block up to it holds these bytes. */
  readonly unspentAt: bigint;
}

type Outcome =
  | { readonly kind: 'included'; readonly result: TxResult }
  | { readonly kind: 'nonce-used'; readonly code: number };

/** Sends, asks, sends again. Reports a used nonce only if these bytes cannot have used it. */
async function sendUntilIncluded(run: Run, attempt: Attempt, onAccepted: (hash: TxHash) => void): Promise<Outcome> {
  const { client, clock, signal } = run;
  let mayBeHeld = false;
  let heldLast = clock.now();
  let pause = run.pollMs;
  const send = () =>
    askOnce(
      run,
      () => client.broadcastSync(attempt.bytes, signal),
      () => {
        mayBeHeld = true;
      },
    );
  for (;;) {
    const { code, hash, log } = await send();
    const held = verdictOf(code) === 'taken';
    if (held) {
      mayBeHeld = true;
      heldLast = clock.now();
      onAccepted(hash);
    }
    for (const end = clock.now() + RESEND_MS; clock.now() < end; pause = Math.min(MAX_POLL_MS, pause * 1.5)) {
      const result = await askOnce(run, () => client.tx(hash, signal));
      if (result !== undefined) return included(result);
      if (mayBeHeld && (code === ALREADY_INCLUDED || code === INVALID_NONCE)) {
        const outcome = await spentBy(run, attempt, hash);
        if (outcome !== undefined) return outcome;
      }
      if (!mayBeHeld && (code === INVALID_NONCE || code === NONCE_TAKEN)) return { kind: 'nonce-used', code };
      // A used nonce proves nothing here: these bytes may have used it.
      const isLate = code !== INVALID_NONCE && clock.now() - heldLast > INDEXED_WITHIN_MS;
      const certain = !mayBeHeld || DROPPED.has(code) || isLate;
      if (!held && certain) throw new TransactionRefused(hash, code, log);
      await sleep(pause, signal, clock);
    }
  }
}

/** @throws {TransactionRefused} if it was executed without success. */
function included(result: TxResult): Outcome {
  const { hash, code, log, height } = result;
  if (code !== 0) throw new TransactionRefused(hash, code, log, height);
  return { kind: 'included', result };
}

/** Transaction that spent the nonce, by the blocks; undefined while it is free, or the node cannot show a block that may hold it. */
async function spentBy(run: Run, { nonce, unspentAt }: Attempt, hash: TxHash): Promise<Outcome | undefined> {
  const { client, address, signal } = run;
  const committed = await askOnce(run, () => client.nonce(address, signal));
  if (committed.nonce <= nonce) return undefined;
  const range = { from: unspentAt + 1n, to: committed.height };
  let result: TxResult | undefined;
  try {
    result = await askOnce(run, () => findInBlocks(client, hash, range, signal));
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  }
  return result === undefined ? { kind: 'nonce-used', code: INVALID_NONCE } : included(result);
}

/** A taken nonce belongs to a transaction that waits, so the one after it is tried; otherwise the chain knows. */
async function nextNonce(run: Run, nonce: number, code: number): Promise<{ nonce: number; height: bigint }> {
  const ask = () => askOnce(run, () => run.client.nonce(run.address, run.signal));
  const committed = await ask();
  if (code === NONCE_TAKEN) return { ...committed, nonce: Math.max(committed.nonce, nonce + 1) };
  if (committed.nonce > nonce) return committed;
  // The node has moved on and its state is not there yet.
  await sleep(run.pollMs, run.signal, run.clock);
  return ask();
}

/** Repeats an idempotent call until it is answered. An answer is final. */
async function askOnce<T>(run: Run, question: () => Promise<T>, onSilence?: () => void): Promise<T> {
  const answer = await retry(question, {
    ...{ signal: run.signal, clock: run.clock, initialMs: run.pollMs, maxMs: MAX_POLL_MS },
    retryIf: (error) => !isAnswer(error),
    onRetry: (error) => {
      run.silence = error;
      onSilence?.();
    },
  });
  run.silence = undefined;
  return answer;
}

/** Errors with which the node, or our own reading of its answer, has spoken. The rest is the network. */
function isAnswer(error: unknown): boolean {
  return [JsonRpcError, QueryFailed, InvalidData, Rejected].some((kind) => error instanceof kind);
}

function notIncluded(
  ms: number,
  sent: { readonly hash: TxHash; readonly nonce: number } | undefined,
  cause: unknown,
): TimedOut {
  const what =
    sent === undefined
      ? 'sending the transaction'
      : `transaction ${sent.hash} with nonce ${sent.nonce} was accepted but is in no block yet, maybe because its account ` +
        'cannot pay for it or an earlier nonce is missing; waiting for it';
  return new TimedOut(what, ms, { cause });
}

async function submitted(
  client: Submittable,
  { hash, height, events }: TxResult,
  nonce: number,
  signal: AbortSignal,
): Promise<Submitted> {
  const fees: AssetAmount[] = [];
  for (const [asset, amount] of getFees(events)) {
    const { id, text } = parseDenom(asset);
    fees.push({ asset: (await client.denom(id, signal).catch(() => undefined)) ?? text, amount });
  }
  return { hash, height, nonce, fees };
}

/** Fees in the events of a transaction, summed by asset. */
export function getFees(events: readonly TxEvent[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { type, attributes } of events) {
    if (type !== 'tx.fees') continue;
    const get = (name: string): string => attributes.find(({ key }) => key === name)?.value ?? '';
    const amount = get('feeAmount');
    if (!/^\d{1,39}$/.test(amount) || get('asset') === '') continue;
    sums.set(get('asset'), (sums.get(get('asset')) ?? 0n) + BigInt(amount));
  }
  return sums;
}
