import type { Message } from './conversation.ts';
import { splitReply } from './reply.ts';
import { mentionsIn } from './text-parts.ts';

/** A message in its place. */
export interface Row {
  readonly message: Message;
  /** Whether it is the first one of its day. */
  readonly startsDay: boolean;
  /** Whether it shows its author and time. */
  readonly startsGroup: boolean;
  /** Id of the message that it answers. */
  readonly replyTo: bigint | undefined;
}

/** A run of messages that is drawn, skipped and compared as one, so that a new message costs no look at thousands of old ones. */
export interface Sheet {
  readonly key: string;
  readonly rows: readonly Row[];
  /** The message before the first one. */
  readonly previous: Message | undefined;
  /** Names that may be mentioned. */
  readonly mentions: readonly string[];
  readonly hasReplies: boolean;
}

const SHEET = 50n;
/** Messages of one author further apart than this show the time again. */
const PAUSE_MS = 5 * 60_000;

/** @param dayOf The day of a time in the reader's time zone. */
type DayOf = (time: string) => string;

/** @param known The result for the messages before: sheets that are still the same come back unchanged. */
export function getSheets(messages: readonly Message[], getDay: DayOf, known: readonly Sheet[] = []): readonly Sheet[] {
  const sheets: Sheet[] = [];
  const before = new Map(known.map((sheet) => [sheet.key, sheet]));
  let at = 0;
  while (at < messages.length) {
    const number = (messages[at]?.id ?? 0n) / SHEET;
    let end = at + 1;
    while (end < messages.length && (messages[end]?.id ?? 0n) / SHEET === number) end += 1;
    const key = String(number);
    const kept = before.get(key);
    sheets.push(
      kept !== undefined && isSame(kept, messages, at, end)
        ? kept
        : sheet(key, messages.slice(at, end), messages[at - 1], getDay),
    );
    at = end;
  }
  return sheets;
}

function isSame({ rows, previous }: Sheet, all: readonly Message[], at: number, end: number): boolean {
  return (
    previous === all[at - 1] && rows.length === end - at && rows.every(({ message }, n) => message === all[at + n])
  );
}

function sheet(key: string, messages: readonly Message[], previous: Message | undefined, getDay: DayOf): Sheet {
  const rows = messages.map((message, at): Row => {
    const before = at === 0 ? previous : messages[at - 1];
    const isNewDay = startsDay(before, message, getDay);
    const replyTo = splitReply(message.message).to;
    return { message, startsDay: isNewDay, startsGroup: isNewDay || startsGroup(before, message), replyTo };
  });
  const mentions = messages.flatMap(({ message }) => (message.includes('@') ? mentionsIn(message) : []));
  return { key, rows, previous, mentions, hasReplies: rows.some(({ replyTo }) => replyTo !== undefined) };
}

/** The greeting of a chain has the time 0. */
export const isTime = (time: string | undefined): time is string => Date.parse(time ?? '') > 0;

type Placed = Pick<Message, 'sender' | 'address' | 'time'>;

/** Whether a message is the first one of its day. */
export function startsDay(previous: Placed | undefined, { time }: Placed, getDay: DayOf): boolean {
  if (!isTime(time) || time === previous?.time) return false;
  return !isTime(previous?.time) || getDay(previous.time) !== getDay(time);
}

/** Whether a message shows its author and time: another account or name than before, or the same after a pause. */
export function startsGroup(previous: Placed | undefined, message: Placed): boolean {
  if (previous === undefined || previous.address !== message.address || previous.sender !== message.sender) return true;
  return Date.parse(message.time ?? '') - Date.parse(previous.time ?? '') > PAUSE_MS;
}
