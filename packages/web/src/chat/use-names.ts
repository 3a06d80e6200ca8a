import { useMemo, useRef } from 'react';
import { type Doubt, getDoubts, type NameUse } from '../ui/look-alike.ts';
import type { Message } from './conversation.ts';
import type { Holders } from './message-text.tsx';

interface Names {
  /** Doubts by name and address, as `keyOfUse` joins them. */
  readonly doubts: ReadonlyMap<string, Doubt>;
  /** The account that used a name first, which is not in doubt. */
  readonly holders: Holders;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * The names of a conversation. A message by a known author changes neither map, so that nothing is drawn again.
 *
 * @param mentioned Names whose holders are wanted.
 */
export function useNames(
  ownNames: readonly NameUse[],
  messages: readonly Message[],
  mentioned: ReadonlySet<string> = NO_NAMES,
): Names {
  const uses = useMemo(() => usesIn(messages), [messages]);
  const doubts = useMemo(() => getDoubts(ownNames, uses), [ownNames, uses]);
  const holders = useMemo(() => {
    const first = new Map<string, string>();
    for (const [name, address] of [...ownNames, ...uses])
      if (mentioned.has(name) && !first.has(name)) first.set(name, address);
    return first;
  }, [ownNames, uses, mentioned]);
  return { doubts: useStable(doubts, isSameDoubt), holders: useStable(holders, Object.is) };
}

const isSameDoubt = (one: Doubt, other: Doubt | undefined): boolean =>
  one.kind === other?.kind &&
  (one.kind !== 'look-alike' || other.kind !== 'look-alike' || one.address === other.address);

function usesIn(messages: readonly Message[]): readonly NameUse[] {
  const uses: NameUse[] = [];
  let last: Message | undefined;
  for (const message of messages) {
    const { sender, address } = message;
    if (address !== undefined && (last?.sender !== sender || last.address !== address)) uses.push([sender, address]);
    last = message;
  }
  return uses;
}

/** The previous map, while it has the same entries. */
function useStable<T>(
  map: ReadonlyMap<string, T>,
  isEqual: (one: T, other: T | undefined) => boolean,
): ReadonlyMap<string, T> {
  const kept = useRef(map);
  const before = kept.current;
  if (before !== map && (before.size !== map.size || [...map].some(([key, value]) => !isEqual(value, before.get(key)))))
    kept.current = map;
  return kept.current;
}
