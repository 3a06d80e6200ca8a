import { type Text, type TextEntry, textOf } from '@switchyard/messenger/client';

export type Message = Text;

/** The messages of the chain that the page has. */
export interface Conversation {
  /** In order of id, without a gap. */
  readonly messages: readonly Message[];
  /** Whether the node has been read: before, the browser has kept the messages. */
  readonly isLoaded: boolean;
  /** Whether the newest messages are in view. */
  readonly isReading: boolean;
  readonly unread: number;
  /** The first message that arrived while the reader was elsewhere, or since the page was last open. */
  readonly firstNew: bigint | undefined;
}

export type ConversationEvent =
  /** The newest messages of the chain, without a gap. @param reader Address whose messages do not count as unread. */
  | { readonly kind: 'newest'; readonly entries: readonly TextEntry[]; readonly reader: string | undefined }
  | { readonly kind: 'older'; readonly messages: readonly Message[] }
  | { readonly kind: 'reading'; readonly isReading: boolean };

/** Messages in memory while the newest are read; the node has the older ones. */
const MAX_MESSAGES = 10_000;
/** A reader of older messages keeps them for this many. */
const MAX_WHILE_AWAY = 20_000;

/** @param messages Kept by the browser. */
export const openConversation = (messages: readonly Message[]): Conversation => ({
  ...{ messages, isLoaded: false, isReading: true, unread: 0, firstNew: undefined },
});

export function reduceConversation(before: Conversation, event: ConversationEvent): Conversation {
  switch (event.kind) {
    case 'newest':
      return withNewest(before, event);
    case 'older': {
      const isBefore = event.messages.at(-1)?.id === (before.messages[0]?.id ?? 0n) - 1n;
      return isBefore ? { ...before, messages: [...event.messages, ...before.messages] } : before;
    }
    case 'reading':
      return { ...before, isReading: event.isReading, unread: event.isReading ? 0 : before.unread };
    default:
      return event satisfies never;
  }
}

/** Whether the node has messages before the first one here. */
export const hasOlder = ({ messages }: Conversation): boolean => (messages[0]?.id ?? 0n) > 0n;

function withNewest(before: Conversation, { entries, reader }: ConversationEvent & { kind: 'newest' }): Conversation {
  const last = before.messages.at(-1);
  // After a long absence, or of a chain that was started again, they take the place of all others.
  if (last === undefined || !isContinued(last, entries))
    return { ...before, messages: entries.map(textOf), isLoaded: true, unread: 0, firstNew: undefined };
  const added = entries.filter(({ id }) => id > last.id).map(textOf);
  const messages = [...before.messages, ...added].slice(before.isReading ? -MAX_MESSAGES : -MAX_WHILE_AWAY);
  const after = { ...before, messages, isLoaded: true };
  if (!before.isLoaded) return { ...after, firstNew: added[0]?.id };
  const unread = before.isReading ? [] : added.filter(({ address }) => address === undefined || address !== reader);
  const firstNew = before.unread === 0 && unread[0] !== undefined ? unread[0].id : before.firstNew;
  return { ...after, unread: before.unread + unread.length, firstNew };
}

/** Whether entries have a message, or begin behind it. */
function isContinued(last: Message, entries: readonly TextEntry[]): boolean {
  const known = entries.find(({ id }) => id === last.id);
  if (known === undefined) return entries[0]?.id === last.id + 1n;
  const { hash, message } = textOf(known);
  return hash === last.hash && message === last.message;
}
