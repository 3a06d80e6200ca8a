import type { Snapshot } from '@switchyard/machine';
import { toJson } from '@switchyard/service';
import type { NameOf } from '../../schema/type.ts';
import { getNames } from '../asset-names.ts';
import type { SoftView } from '../commits.ts';
import type { Part, Place } from './part.ts';

/** A table that only grows, as its streams read it. */
export interface Entries {
  readonly name: string;
  /** The id of the next entry. */
  count(snapshot: Snapshot): bigint;
  /** Number of the block that has appended an entry. */
  blockOf(snapshot: Snapshot, id: bigint): bigint;
  /** Some entries from an id on, in JSON. */
  read(snapshot: Snapshot, from: bigint, getName: NameOf): readonly object[];
}

const PAGE_ENTRIES = 500;
const PAGE_CHARACTERS = 262_144;

/** The newest entries, and then those that each block appends. */
export function entriesPart(entries: Entries, newest: number): Part {
  const begin = ({ snapshot, soft: block }: SoftView): Place => {
    const first = entries.count(snapshot) - BigInt(newest);
    return { block, isOpen: true, after: String(first > 0n ? first : 0n), count: 0 };
  };
  const part: Part = {
    name: `newest ${newest} ${entries.name}`,
    begin,
    read(view, { block, isOpen, after, again }, changesBehind) {
      // Rows that were made again from stored blocks may be others than those up to the cursor.
      if (after === undefined && changesBehind(block) === undefined) {
        const reason = `the changes after block ${block} are not kept by this node`;
        return part.read(view, { ...begin(view), again: reason }, changesBehind);
      }
      const { snapshot, soft } = view;
      const start = after === undefined ? firstBehind(snapshot, entries, block) : BigInt(after);
      const texts = getPage(snapshot, entries, start);
      const end = start + BigInt(texts.length);
      const next = { block: soft, isOpen: end < entries.count(snapshot), after: String(end), count: 0 };
      if (!isOpen && texts.length === 0) return { next };
      const reason = again === undefined ? '' : `${toJson({ again }).slice(1, -1)},`;
      return { members: `${reason}"rows":[${texts.join(',')}],"isWhole":${!next.isOpen}`, next };
    },
  };
  return part;
}

/** The first entry that a later block has appended: blocks ascend with ids. */
function firstBehind(snapshot: Snapshot, { count, blockOf }: Entries, block: bigint): bigint {
  let [low, high] = [0n, count(snapshot)];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (blockOf(snapshot, middle) > block) high = middle;
    else low = middle + 1n;
  }
  return low;
}

function getPage(snapshot: Snapshot, { count, read }: Entries, start: bigint): readonly string[] {
  const getName = getNames(snapshot);
  const left = count(snapshot) - start;
  const texts: string[] = [];
  let characters = 0;
  while (texts.length < left && texts.length < PAGE_ENTRIES && characters < PAGE_CHARACTERS)
    for (const entry of read(snapshot, start + BigInt(texts.length), getName)) {
      const text = toJson(entry);
      texts.push(text);
      characters += text.length;
    }
  return texts;
}
