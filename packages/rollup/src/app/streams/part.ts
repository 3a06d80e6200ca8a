import type { SoftView } from '../commits.ts';
import { getBlock } from '../stored-blocks.ts';
import type { ChangesSince } from './changes.ts';

/* Parts of the state and of its history that clients follow, each from a place of its own. */

/** A place in a part. */
export interface Place {
  /** Changes up to this block have been sent. */
  readonly block: bigint;
  /** Whether the client does not have all yet that there is up to the newest block. */
  readonly isOpen: boolean;
  /** Position behind which the next page begins, while there are pages. */
  readonly after?: string | undefined;
  /** Rows that were sent in pages. */
  readonly count: number;
  /** Why the client has to forget what it has of the part, if it has. */
  readonly again?: string;
}

/** Members of a part in a notification as JSON without braces, and the place behind it. */
export interface Fragment {
  /** Undefined if the part has nothing new. */
  readonly members?: string;
  /** Undefined if the part ends. */
  readonly next: Place | undefined;
}

/** Changes of the blocks behind one, which are read once for all parts; undefined if they are not kept. */
export type ChangesBehind = (block: bigint) => ChangesSince | undefined;

export interface Part {
  /** Equal for equal parts. */
  readonly name: string;
  /** Beginning without a cursor. */
  begin(view: SoftView): Place;
  /** The next fragment, of bounded size: for equal places it is made once for a commit. */
  read(view: SoftView, place: Place, changesBehind: ChangesBehind): Fragment;
}

export const toKey = ({ name }: Part, { block, ...place }: Place): string =>
  JSON.stringify([name, String(block), Object.values(place)]);

/** Names a block, from whose changes on a client resumes. */
export const toCursor = (block: bigint, hash: string): string => `${block}-${hash.slice(0, 16)}`;
export const CURSOR = '[0-9]{1,19}-[0-9a-f]{16}';

/** The place of a cursor, or the beginning if what followed the cursor is not known here. */
export function placeAt(part: Part, view: SoftView, cursor: string | undefined): Place {
  if (cursor === undefined) return part.begin(view);
  const block = BigInt(cursor.split('-', 1)[0] ?? '');
  const again = (reason: string): Place => ({ ...part.begin(view), again: reason });
  if (block > view.soft) return again(`cursor ${cursor} is later than block ${view.soft}, the newest of this node`);
  const stored = getBlock(view.snapshot, block);
  if (stored === undefined) return again(`block ${block} of cursor ${cursor} is not kept by this node`);
  if (toCursor(block, stored.hash) !== cursor) return again(`cursor ${cursor} is of another chain`);
  return { block, isOpen: true, count: 0 };
}
