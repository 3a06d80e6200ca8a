/** Decisions of the conductor, as functions of plain values. */
import { Code } from '@connectrpc/connect';
import {
  type CommitLevel,
  type CommitmentState,
  nextSequencerHeight,
  type SessionParameters,
  toSequencerHeight,
} from '@switchyard/protocol';
import { type Backoff, backoffMs } from '@switchyard/service';

/** Whether blocks come from the sequencer. */
export const readsSoft = (level: CommitLevel): boolean => level !== 'FirmOnly';
/** Whether blocks come from the data-availability layer. */
export const readsFirm = (level: CommitLevel): boolean => level === 'SoftAndFirm' || level === 'FirmOnly';

export interface BatchLimits {
  readonly maxBlocks: number;
  /** A batch ends with the block that reaches this. */
  readonly maxBytes: number;
}

/** Facts about a block that waits for its execution. */
export interface Arrival {
  readonly height: bigint;
  readonly bytes: number;
}

export type Step =
  /** Execute the first `count` of the waiting blocks. */
  | { readonly kind: 'execute'; readonly count: number }
  /** Forget the first `count`: the rollup has them. */
  | { readonly kind: 'drop'; readonly count: number }
  | { readonly kind: 'wait' }
  /** The session has all its blocks. */
  | { readonly kind: 'finish' }
  /** A block is missing in front of the first waiting one, which only a mistake of ours can bring about. */
  | { readonly kind: 'gap'; readonly expected: bigint; readonly got: bigint };

export interface Situation {
  readonly parameters: SessionParameters;
  readonly commitments: CommitmentState;
  /** In order of height, without a gap. */
  readonly waiting: readonly Arrival[];
  readonly limits: BatchLimits;
}

export type FirmStep =
  | Exclude<Step, { kind: 'finish' }>
  /** The rollup has executed the first `count`: they become firm. */
  | { readonly kind: 'commit'; readonly count: number };

/** Decides about blocks that the layer has. Executed blocks are committed as firm at once. */
export function nextFirmStep({ parameters, commitments, waiting, limits }: Situation): FirmStep {
  const [first] = waiting;
  if (first === undefined) return { kind: 'wait' };
  const { soft, firm } = commitments;
  const expected = toSequencerHeight(parameters, firm.number) + 1n;
  if (first.height > expected) return { kind: 'gap', expected, got: first.height };
  const old = waiting.findIndex(({ height }) => height >= expected);
  if (old !== 0) return { kind: 'drop', count: old < 0 ? waiting.length : old };
  const executed = toSequencerHeight(parameters, soft.number);
  const known = waiting.filter(({ height }) => height <= executed).length;
  if (known > 0) return { kind: 'commit', count: known };
  return { kind: 'execute', count: getBatch(waiting, limits) };
}

/** Number of blocks that fit into a batch. */
function getBatch(waiting: readonly Arrival[], { maxBlocks, maxBytes }: BatchLimits): number {
  let count = 0;
  for (let bytes = 0; count < waiting.length && count < maxBlocks && bytes < maxBytes; count++) {
    bytes += waiting[count]?.bytes ?? 0;
  }
  return count;
}

export function nextStep({ parameters, commitments, waiting, limits }: Situation): Step {
  const left = blocksLeft(parameters, commitments);
  if (left !== undefined && left <= 0n) return { kind: 'finish' };
  const [first] = waiting;
  if (first === undefined) return { kind: 'wait' };
  const expected = nextSequencerHeight(parameters, commitments);
  if (first.height > expected) return { kind: 'gap', expected, got: first.height };
  const old = waiting.findIndex(({ height }) => height >= expected);
  if (old !== 0) return { kind: 'drop', count: old < 0 ? waiting.length : old };

  const count = getBatch(waiting, limits);
  return { kind: 'execute', count: left !== undefined && left < BigInt(count) ? Number(left) : count };
}

/** Blocks until the end of the session; undefined if it has none. */
export function blocksLeft({ rollupEndNumber }: SessionParameters, { soft }: CommitmentState): bigint | undefined {
  return rollupEndNumber === undefined ? undefined : rollupEndNumber - soft.number;
}

/** The height of the layer, and of the sequencer's blocks on it. All are heights of the layer. */
export interface LayerPosition {
  /** How far the two may be apart; 0: any distance. */
  readonly lookAhead: bigint;
  /** The newest that was read and verified. */
  readonly read: bigint;
  /** Height at which the newest block of the sequencer was found, else at which reading began; 0 if that is not known. */
  readonly posted: bigint;
}

/** Why soft blocks have to wait for firm ones; undefined if they do not. */
export function softObstacle({ lookAhead, read, posted }: LayerPosition): string | undefined {
  if (lookAhead === 0n || posted === 0n || read - posted <= lookAhead) return undefined;
  return `soft blocks wait for firm ones: the layer has no new block of the sequencer since its height ${posted}, it is at ${read}, and at most ${lookAhead} heights may be between`;
}

export type Verdict = 'again' | 'new session' | 'fatal';

/** Meaning of an error of the rollup. Requests can be repeated unchanged: the rollup answers the same. */
export function verdictOf(code: Code): Verdict {
  switch (code) {
    case Code.Canceled:
    case Code.Unknown:
    case Code.DeadlineExceeded:
    case Code.NotFound:
    case Code.ResourceExhausted:
    case Code.Aborted:
    case Code.Unavailable:
      return 'again';
    case Code.PermissionDenied:
      return 'new session';
    case Code.InvalidArgument:
    case Code.AlreadyExists:
    case Code.FailedPrecondition:
    case Code.OutOfRange:
    case Code.Unimplemented:
    case Code.Internal:
    case Code.DataLoss:
    case Code.Unauthenticated:
      return 'fatal';
    default:
      return code satisfies never;
  }
}

/** For a peer that is away. The wire's conductor waits up to 10 s; people watch their restarts. */
export const PEER_BACKOFF: Backoff = { initialMs: 100, maxMs: 2_000 };
const SESSION_BACKOFF: Backoff = { initialMs: 200, maxMs: 30_000 };

/** The pause before a new session, after `fruitless` ones in a row in which nothing was executed. */
export function sessionPauseMs(fruitless: number, random: () => number): number {
  return fruitless === 0 ? 0 : backoffMs(fruitless, SESSION_BACKOFF, random);
}
