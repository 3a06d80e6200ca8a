import type { Message } from './conversation.ts';

/** A run of messages that is drawn, skipped and compared as one, so that a new message costs no look at thousands of old ones. */
export interface Sheet {
  readonly key: string;
  readonly messages: readonly Message[];
  /** The message before the first one. */
  readonly previous: Message | undefined;
  /** Whether a text of it may mention a name, or reply to a message. */
  readonly hasMentions: boolean;
  readonly hasReplies: boolean;
}

const SHEET = 50n;
/** Messages of one author further apart than this show the time again. */
const PAUSE_MS = 5 * 60_000;

/** @param known The result for the messages before: sheets that are still the same come back as they are. */
export function sheetsOf(messages: readonly Message[], known: readonly Sheet[] = []): readonly Sheet[] {
  const sheets: Sheet[] = [];
  const before = new Map(known.map((sheet) => [sheet.key, sheet]));
  let at = 0;
  while (at < messages.length) {
    const number = (messages[at]?.id ?? 0n) / SHEET;
    let end = at + 1;
    while (end < messages.length && (messages[end]?.id ?? 0n) / SHEET === number) end += 1;
    const key = String(number);
    const previous = messages[at - 1];
    const kept = before.get(key);
    sheets.push(
      kept !== undefined && isSame(kept, messages, at, end) ? kept : sheet(key, messages.slice(at, end), previous),
    );
    at = end;
  }
  return sheets;
}

function isSame({ messages, previous }: Sheet, all: readonly Message[], at: number, end: number): boolean {
  return previous === all[at - 1] && messages.length === end - at && messages.every((one, n) => one === all[at + n]);
}

function sheet(key: string, messages: readonly Message[], previous: Message | undefined): Sheet {
  const hasMentions = messages.some(({ message }) => message.includes('@'));
  const hasReplies = messages.some(({ message }) => message.startsWith('>'));
  return { key, messages, previous, hasMentions, hasReplies };
}

/** The greeting of a chain has the time 0. */
export const isTime = (time: string | undefined): time is string => Date.parse(time ?? '') > 0;

type Placed = Pick<Message, 'sender' | 'address' | 'time'>;

/** Whether a message is the first one of its day. @param dayOf The day of a time, where the reader is. */
export function startsDay(previous: Placed | undefined, { time }: Placed, dayOf: (time: string) => string): boolean {
  if (!isTime(time)) return false;
  return !isTime(previous?.time) || dayOf(previous.time) !== dayOf(time);
}

/** Whether a message shows its author and time: another account or name than before, or the same after a pause. */
export function startsGroup(previous: Placed | undefined, message: Placed): boolean {
  if (previous === undefined || previous.address !== message.address || previous.sender !== message.sender) return true;
  return Date.parse(message.time ?? '') - Date.parse(previous.time ?? '') > PAUSE_MS;
}
