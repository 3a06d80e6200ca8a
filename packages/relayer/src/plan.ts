/**
 * Decides the next step for transactions of one account that follow each other. Pure: decided from past events, done
 * elsewhere.
 *
 * Sequences keep their order: none is included before its predecessor. So they are sent in order,
 * and only the first one in no block is queried. A lost one is signed again before anything else is, which
 * gives it its old sequence, and the later ones stay unchanged. Only if another process has used that sequence
 * does it get a later one, and is included behind them.
 */
import type { BlobsOutcome } from '@switchyard/da';
import { type Backoff, backoffMs } from '@switchyard/service';
import type { Batch } from './batch.ts';
import type { Pending } from './state.ts';

export interface Posting {
  /** A signed transaction is on disk, and its outcome is not known. */
  readonly isSigned: boolean;
  /** The layer has it, as far as this run knows. */
  readonly isSubmitted: boolean;
  /** This run has signed it, and none before it for the same blocks: so those behind it come later. */
  readonly isFirst: boolean;
  /** It is in a block. Nothing more happens to it. */
  readonly isIncluded: boolean;
  /** Answers "pending" since it was submitted. */
  readonly asked: number;
  /** Calls in a row without an answer. */
  readonly failures: number;
  /** Transactions in a row that were not included. */
  readonly losses: number;
  /** The last of them was refused for a reason that signing again does not change. */
  readonly isStubborn: boolean;
  /** Why it is not posted yet. */
  readonly reason: string | undefined;
}

/** One of the transactions under way. */
export interface InFlight {
  readonly posting: Posting;
  /** Transaction that was signed last, also if it is lost; undefined before anything was. */
  readonly pending: Pending | undefined;
  /** Undefined if an earlier run has signed it. */
  readonly batch: Batch | undefined;
  /** When its next step may be taken. */
  readonly dueAt: number;
}

/** In the order of the blocks in them. */
export type Flight = readonly Posting[];

export type PostingEvent =
  | { readonly kind: 'signed' }
  | { readonly kind: 'submitted' }
  | { readonly kind: 'answer'; readonly outcome: BlobsOutcome }
  | { readonly kind: 'failed'; readonly reason: string };

export interface Step {
  readonly kind: 'sign' | 'submit' | 'ask';
  /** In the flight. */
  readonly index: number;
}

const CALL: Backoff = { initialMs: 100, maxMs: 10_000 };
/** Between two answers: short at first, for layers with short blocks, and no longer than a block of Celestia. */
const ANSWER = { firstMs: 100, moreMs: 40, mostMs: 2_000 };
const ANEW: Backoff = { initialMs: 500, maxMs: 30_000 };
/** An account without funds or an upgrade of the layer take people some time; each try may cost a fee. */
const STUBBORN: Backoff = { initialMs: 30_000, maxMs: 600_000 };
/** Nodes forget transactions that wait, so the same bytes are sent again after this many answers. */
const ANSWERS_PER_SUBMISSION = 20;

/** @param isSigned A transaction of an earlier run is on disk. */
export const startPosting = (isSigned: boolean): Posting => ({
  ...{ isSigned, isSubmitted: false, isFirst: !isSigned, isIncluded: false, asked: 0, failures: 0, losses: 0 },
  ...{ isStubborn: false, reason: undefined },
});

/**
 * The steps that can be taken, in any order. A transaction of an earlier run is submitted before it is queried: whether
 * it was sent then is not known, and the same bytes take effect once.
 */
export function nextSteps(flight: Flight): readonly Step[] {
  const unsent = flight.findIndex(({ isSubmitted, isIncluded }) => !isSubmitted && !isIncluded);
  const sent = flight.findIndex(({ isSubmitted, isIncluded }) => isSubmitted && !isIncluded);
  const steps: Step[] = [];
  if (unsent >= 0) steps.push({ kind: flight[unsent]?.isSigned === true ? 'submit' : 'sign', index: unsent });
  if (sent >= 0) steps.push({ kind: 'ask', index: sent });
  return steps;
}

/**
 * Whether another transaction may join. Not while one waits to be sent, since it would wait behind that; nor while one is
 * sent that took the place of another, since those behind it may be lost too, and the new one would be before them.
 */
export function hasRoom(flight: Flight, most: number): boolean {
  return flight.length < most && flight.every((each) => each.isIncluded || (each.isSubmitted && each.isFirst));
}

/** The pause before the next step about it. */
export function pauseMs(
  { isSigned, isSubmitted, asked: wanted, failures, losses, isStubborn }: Posting,
  random: () => number,
) {
  if (failures > 0) return backoffMs(failures, CALL, random);
  if (isSigned) return isSubmitted ? Math.min(ANSWER.mostMs, ANSWER.firstMs + wanted * ANSWER.moreMs) : 0;
  return losses === 0 ? 0 : backoffMs(losses, isStubborn ? STUBBORN : ANEW, random);
}

/** Another transaction is signed only once the one before is known to be in no block, now or later. */
export function afterEvent(flight: Flight, index: number, event: PostingEvent): Flight {
  const before = flight[index];
  if (before === undefined) throw new RangeError(`no transaction ${index} of ${flight.length}`);
  const after = afterOwnEvent(before, event);
  // Nodes drop the successors of a missing one.
  const isToBeSent = after.isSigned && !after.isSubmitted && event.kind !== 'failed';
  return flight.map((each, at) => {
    if (at === index) return after;
    return isToBeSent && at > index && !each.isIncluded ? { ...each, isSubmitted: false } : each;
  });
}

function afterOwnEvent(posting: Posting, event: PostingEvent): Posting {
  const answered = { ...posting, failures: 0 };
  switch (event.kind) {
    case 'failed':
      return { ...posting, failures: posting.failures + 1, reason: event.reason };
    case 'signed':
      return { ...answered, isSigned: true, isSubmitted: false, asked: 0 };
    case 'submitted':
      return { ...answered, isSubmitted: true };
    case 'answer':
      return afterAnswer(answered, event.outcome);
    default:
      return event satisfies never;
  }
}

function afterAnswer(posting: Posting, outcome: BlobsOutcome): Posting {
  const wanted = posting.asked + 1;
  if (outcome.kind === 'included') return { ...startPosting(true), isSubmitted: true, isIncluded: true };
  if (outcome.kind === 'pending') {
    const isSubmitted = wanted % ANSWERS_PER_SUBMISSION !== 0;
    return { ...posting, asked: wanted, isSubmitted, reason: 'it is in no block of the layer yet' };
  }
  const lost = { ...startPosting(false), isFirst: false, losses: posting.losses + 1 };
  if (outcome.kind === 'gone') return { ...lost, reason: 'the last transaction came into no block in its time' };
  return {
    ...lost,
    isStubborn: !isCurable(outcome.reason),
    reason: `the layer refused the last transaction: ${outcome.reason}`,
  };
}

/** Texts, of Cosmos and of the writer, for a fee, a sequence or a last height that a transaction signed now does not have. */
export const isCurable = (reason: string): boolean =>
  /insufficient fee|account sequence|used sequence|timeout.?height|gas price/i.test(reason);
