import type { Text } from '@switchyard/messenger/client';

export type Message = Text;

export interface MessagePage {
  /** Oldest first, without a gap between them. */
  readonly messages: readonly Text[];
  /** Number of messages of the chain, the greeting among them. */
  readonly total: bigint;
}

/** State of the chain as the page knows it. */
export interface Conversation {
  /** In order of id, without a gap. */
  readonly messages: readonly Text[];
  /** Highest id that was announced; above the last message, some are missing. */
  readonly announced: bigint;
  readonly connection: 'connecting' | 'connected' | 'lost';
  /** Whether the newest messages are in view. */
  readonly isReading: boolean;
  readonly unread: number;
  /** The first message that arrived while the reader was elsewhere, or since the page was last open. */
  readonly firstNew: bigint | undefined;
}

export type ConversationEvent =
  | { readonly kind: 'connection'; readonly connection: Conversation['connection'] }
  | { readonly kind: 'restored'; readonly messages: readonly Text[] }
  /** The newest messages, which take the place of all others if there is a gap between. */
  | { readonly kind: 'newest'; readonly page: MessagePage }
  /** Messages from the last known one on, itself among them. */
  | { readonly kind: 'newer'; readonly page: MessagePage }
  | { readonly kind: 'older'; readonly page: MessagePage }
  | { readonly kind: 'arrived'; readonly message: Text; readonly isMine: boolean }
  | { readonly kind: 'reading'; readonly isReading: boolean };

/** Messages in memory while the newest are read; the node has the older ones. */
const MAX_MESSAGES = 10_000;
/** A reader of older messages keeps them for this many. */
const MAX_WHILE_AWAY = 20_000;
/** Most messages that are read after a time without connection; after a longer one, the newest page is read. */
const MAX_CAUGHT_UP = 1_000n;

export const emptyConversation: Conversation = {
  messages: [],
  announced: -1n,
  connection: 'connecting',
  isReading: true,
  unread: 0,
  firstNew: undefined,
};

export function reduceConversation(before: Conversation, event: ConversationEvent): Conversation {
  switch (event.kind) {
    case 'connection':
      return { ...before, connection: event.connection };
    case 'restored':
      return before.messages.length > 0 ? before : { ...before, messages: contiguous(event.messages) };
    case 'newest':
      return withNewest(before, event.page);
    case 'newer':
      return withNewer(before, event.page);
    case 'older':
      return withOlder(before, contiguous(event.page.messages));
    case 'arrived':
      return withArrived(before, event);
    case 'reading':
      return { ...before, isReading: event.isReading, unread: event.isReading ? 0 : before.unread };
    default:
      return event satisfies never;
  }
}

/** Whether the node has messages after the last one here. */
export const isBehind = ({ messages, announced }: Conversation): boolean => announced > (messages.at(-1)?.id ?? -1n);

/** Whether the node has messages before the first one here. */
export const hasOlder = ({ messages }: Conversation): boolean => (messages[0]?.id ?? 0n) > 0n;

function withNewest(before: Conversation, { messages, total }: MessagePage): Conversation {
  const page = contiguous(messages);
  const joined = isSameChain(before, page, total) ? join(before, page) : undefined;
  const isReset = joined === undefined && before.messages.length > 0;
  const after = { ...before, messages: joined ?? page, announced: total - 1n };
  return isReset ? { ...after, unread: 0, firstNew: undefined } : counted(before, after);
}

function withNewer(before: Conversation, { messages, total }: MessagePage): Conversation {
  const page = contiguous(messages);
  const joined = isSameChain(before, page, total) ? join(before, page) : undefined;
  const missing = joined === undefined ? 0n : total - 1n - (joined.at(-1)?.id ?? 0n);
  // Another chain, or too much to read page by page: the newest take the place of all that is here.
  if (joined === undefined || missing > MAX_CAUGHT_UP)
    return { ...before, messages: [], announced: total - 1n, unread: 0, firstNew: undefined };
  const last = before.messages.at(-1)?.id;
  const isFirstAnswer = before.announced < 0n;
  const after = counted(before, { ...before, messages: joined, announced: total - 1n });
  return isFirstAnswer && last !== undefined && page.some(({ id }) => id > last)
    ? { ...after, firstNew: last + 1n }
    : after;
}

function withOlder(before: Conversation, page: readonly Text[]): Conversation {
  const first = before.messages[0]?.id;
  if (first === undefined || page.at(-1)?.id !== first - 1n) return before;
  return { ...before, messages: [...page, ...before.messages] };
}

function withArrived(before: Conversation, { message, isMine }: { message: Text; isMine: boolean }): Conversation {
  const [arrived] = contiguous([message]);
  if (arrived === undefined) return before;
  const last = before.messages.at(-1)?.id ?? -1n;
  const announced = arrived.id > before.announced ? arrived.id : before.announced;
  if (arrived.id !== last + 1n) return { ...before, announced };
  const after = { ...before, announced, messages: trimmed(before, [...before.messages, arrived]) };
  return isMine ? after : counted(before, after);
}

/** Counts messages added at the end while none of them was in view. */
function counted(before: Conversation, after: Conversation): Conversation {
  const last = before.messages.at(-1)?.id;
  if (before.isReading || last === undefined) return after;
  const added = Number((after.messages.at(-1)?.id ?? last) - last);
  if (added <= 0) return after;
  return { ...after, unread: before.unread + added, firstNew: before.unread === 0 ? last + 1n : before.firstNew };
}

/** A chain that was started again has fewer messages, or others under the same ids. */
function isSameChain({ messages }: Conversation, page: readonly Text[], total: bigint): boolean {
  const last = messages.at(-1)?.id;
  if (last === undefined) return true;
  if (last >= total) return false;
  const first = messages[0]?.id ?? 0n;
  return page.every(({ id, hash, message }) => {
    const known = id < first || id > last ? undefined : messages[Number(id - first)];
    return known === undefined || (known.hash === hash && known.message === message);
  });
}

/** @returns undefined if there is a gap between the two. */
function join(before: Conversation, page: readonly Text[]): readonly Text[] | undefined {
  const { messages } = before;
  const last = messages.at(-1)?.id;
  const [first] = page;
  if (last === undefined || first === undefined) return page.length > 0 ? page : messages;
  if (first.id > last + 1n) return undefined;
  return trimmed(before, [...messages, ...page.filter(({ id }) => id > last)]);
}

function trimmed({ isReading }: Conversation, messages: readonly Text[]): readonly Text[] {
  return messages.slice(-(isReading ? MAX_MESSAGES : MAX_WHILE_AWAY));
}

/** Messages from the last gap on. */
function contiguous(texts: readonly Text[]): readonly Text[] {
  const messages: Text[] = [];
  for (const message of texts) {
    const last = messages.at(-1)?.id;
    if (last !== undefined && message.id !== last + 1n) messages.length = 0;
    messages.push(message);
  }
  return messages;
}
