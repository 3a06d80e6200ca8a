import { sleep } from '@switchyard/service';
import type { DevAccount } from '../accounts/accounts.ts';
import type { Step } from './activity.ts';
import { type Run, takeSteps } from './progress.ts';
import type { RollupNode } from './rollup-api.ts';
import type { Sent } from './sent.ts';

export interface LoadOptions {
  readonly run: Run;
  readonly node: RollupNode;
  readonly chainId: string;
  readonly account: DevAccount;
  /** No further transaction is begun once it aborts. */
  readonly signal: AbortSignal;
}

/** Between two transactions of an account. */
const PAUSE_MS = [1, 600] as const;
/** Between two tries. */
const AGAIN_MS = 500;
/** Tries after the end of the load, of a transaction that an acknowledged one waits for. */
const LAST_TRIES = 200;
/** How often a transaction is sent before its predecessor, if nodes take that, and is cancelled then. */
const EARLY = 0.15;
const CANCELLED = 0.3;

/**
 * Sends one transaction of an account after the other, each until it was acknowledged or is known to be in a block: an account that gets no
 * answer sends the same bytes again.
 */
export async function sendTransactions(options: LoadOptions): Promise<void> {
  const { run, account, signal } = options;
  let nonce = 0;
  await takeSteps(run, account.name, PAUSE_MS, signal, async (step) => {
    const isEarly = run.options.rollup.api.holdsLater === true && nonce > 0 && step.chance.happens(EARLY);
    nonce += await (isEarly ? sendSecondFirst : sendNext)(options, step, nonce);
  });
}

/** @returns how many nonces are used up, as far as is known. */
async function sendNext(options: LoadOptions, step: Step, nonce: number): Promise<number> {
  const { bytes, record } = await made(options, step, nonce);
  return (await sendOne(options, bytes, record)) ? 1 : 0;
}

/** The one after the next one is sent first, and may be cancelled while it waits. @returns Like `sendNext`. */
async function sendSecondFirst(options: LoadOptions, step: Step, nonce: number): Promise<number> {
  const { run, node, account } = options;
  const { chance } = step;
  const second = await made(options, step, nonce + 1);
  const isHeld = await sendOne(options, second.bytes, second.record);
  await pause(options, step);
  if (isHeld && chance.happens(CANCELLED)) {
    const bytes = await node.cancellation?.(second.record.hash, account).catch(() => undefined);
    if (bytes !== undefined) {
      const record: Sent = {
        ...second.record,
        hash: run.options.rollup.api.findHash(bytes),
        isAcknowledged: false,
        rival: second.record,
      };
      second.record.rival = record;
      run.sent.push(record);
      await sendOne(options, bytes, record);
      await pause(options, step);
    }
  }
  // Acknowledged transactions would wait for it for ever.
  const first = await made(options, step, nonce);
  await sendOne(options, first.bytes, first.record, LAST_TRIES);
  return isHeld ? 2 : 0;
}

const pause = ({ signal }: LoadOptions, { chance }: Step): Promise<void> =>
  sleep(chance.integer(...PAUSE_MS), signal).catch(() => undefined);

async function made({ run, account, chainId }: LoadOptions, { chance, describe }: Step, nonce: number) {
  const { rollup } = run.options;
  const { bytes, text } = await rollup.transaction({ account, nonce, chainId, chance });
  describe(text);
  const common = { account: account.name, nonce, isAcknowledged: false, isRefused: false };
  const record: Sent = { hash: rollup.api.findHash(bytes), ...common };
  run.sent.push(record);
  return { bytes, record };
}

/** @returns whether its nonce is used up; not if it is refused, or the run ended before anything was known. */
async function sendOne({ node, signal }: LoadOptions, bytes: Uint8Array, record: Sent, lastTries = 0) {
  const until = lastTries > 0 ? new AbortController().signal : signal;
  for (let left = lastTries; !signal.aborted || left > 0; left -= signal.aborted ? 1 : 0) {
    const submitted = await node.submit(bytes, until);
    record.isAcknowledged = submitted === 'acknowledged';
    record.isRefused = submitted === 'refused';
    if (submitted !== 'again') return submitted !== 'refused';
    await sleep(AGAIN_MS, until).catch(() => undefined);
  }
  return false;
}
