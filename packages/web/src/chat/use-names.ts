import { useMemo } from 'react';
import { type Doubt, getDoubts, type NameUse } from '../ui/look-alike.ts';
import type { Message } from './conversation.ts';
import type { Holders } from './message-text.tsx';
import { mentionsIn } from './text-parts.ts';

interface Names {
  /** Doubts by name and address, as `keyOfUse` joins them. */
  readonly doubts: ReadonlyMap<string, Doubt>;
  /** The account that used a name first, which is not in doubt, of names that are mentioned. */
  readonly holders: Holders;
}

const NONE: readonly Message[] = [];

/** The names of a conversation. @param shown Messages whose mentions are wanted. */
export function useNames(
  ownNames: readonly NameUse[],
  messages: readonly Message[],
  shown: readonly Message[] = NONE,
): Names {
  const uses = useMemo(() => usesIn(messages), [messages]);
  const doubts = useMemo(() => getDoubts(ownNames, uses), [ownNames, uses]);
  const holders = useMemo(() => {
    const mentioned = new Set(shown.flatMap(({ message }) => (message.includes('@') ? mentionsIn(message) : [])));
    const first = new Map<string, string>();
    for (const [name, address] of [...ownNames, ...uses])
      if (mentioned.has(name) && !first.has(name)) first.set(name, address);
    return first;
  }, [ownNames, uses, shown]);
  return { doubts, holders };
}

const usesIn = (messages: readonly Message[]): readonly NameUse[] =>
  messages.flatMap(({ sender, address }, at): readonly NameUse[] => {
    const last = messages[at - 1];
    const isSame = last?.sender === sender && last.address === address;
    return address === undefined || isSame ? [] : [[sender, address]];
  });
