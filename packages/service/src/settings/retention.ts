import { parser, type Schema } from '../input/schema.ts';
import { integer } from '../input/values.ts';
import { field } from './config.ts';

/** How much of a chain is kept; an undefined member sets no limit. */
export interface Retention {
  /** The newest blocks. */
  readonly blocks: bigint | undefined;
  /** Age, counted back from the newest block. */
  readonly ageMs: number | undefined;
  /** Newest blocks kept regardless of the limits; `LEAST_BLOCKS`, if absent. */
  readonly least?: bigint;
}

/** An archive. */
export const KEEP_ALL: Retention = { blocks: undefined, ageMs: undefined };

/** Fewer are never kept: a process that was killed, or lags a little, needs the last ones. */
export const LEAST_BLOCKS = 128n;

const HOUR_MS = 3_600_000;

/** `all`, or a whole number. */
export function allOr({ min, max }: { readonly min: number; readonly max: number }): Schema<number | 'all'> {
  const number = integer({ min, max });
  return parser(`all, or ${number.expects}`, 'all', (text) =>
    text.toLowerCase() === 'all' ? 'all' : number.fromText(text),
  );
}

/**
 * The two settings of every process that keeps blocks.
 *
 * @param least Newest blocks that the process needs for itself.
 */
export function retentionFields(prefix: string, least = LEAST_BLOCKS) {
  return {
    retainBlocks: field(`${prefix}RETAIN_BLOCKS`, allOr({ min: Number(least), max: 1_000_000_000_000 }), {
      help: 'newest blocks that are kept, older ones are deleted; all makes an archive',
      fallback: 'all',
    }),
    retainHours: field(`${prefix}RETAIN_HOURS`, allOr({ min: 1, max: 1_000_000 }), {
      help: 'age in hours, counted from the newest block, above which blocks are deleted; with both limits the closer one counts',
      fallback: 'all',
    }),
  };
}

export function toRetention(
  settings: { readonly retainBlocks: number | 'all'; readonly retainHours: number | 'all' },
  least = LEAST_BLOCKS,
): Retention {
  const { retainBlocks, retainHours } = settings;
  return {
    blocks: retainBlocks === 'all' ? undefined : BigInt(retainBlocks),
    ageMs: retainHours === 'all' ? undefined : retainHours * HOUR_MS,
    least,
  };
}

export interface KeptBlocks {
  readonly first: bigint;
  readonly newest: bigint;
  /** Milliseconds; `undefined` for a block that is not there. */
  getTime(number: bigint): number | undefined;
}

/**
 * The first block to keep, at most `mostAtOnce` above the first stored one: deleting is spread over the blocks that
 * come, so that a long history which has just been given a limit does not stop the chain.
 */
export function retainFrom(
  { blocks, ageMs, least = LEAST_BLOCKS }: Retention,
  kept: KeptBlocks,
  mostAtOnce: bigint,
): bigint {
  const { first, newest, getTime } = kept;
  const highest = newest + 1n - least;
  const now = ageMs === undefined ? undefined : getTime(newest);
  let next = first;
  while (next < highest && next - first < mostAtOnce) {
    const beyondCount = blocks !== undefined && next <= newest - blocks;
    if (!beyondCount && !isOlder(next)) break;
    next += 1n;
  }
  return next;

  function isOlder(number: bigint): boolean {
    if (ageMs === undefined || now === undefined) return false;
    const time = getTime(number);
    return time !== undefined && now - time > ageMs;
  }
}
