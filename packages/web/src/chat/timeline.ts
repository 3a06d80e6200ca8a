import type { Message } from './conversation.ts';
import { splitReply } from './reply.ts';

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

/** Messages that are drawn and taken away together. */
const BLOCK = 50n;
/** Messages of one author further apart than this show the time again. */
const PAUSE_MS = 5 * 60_000;

/** The block of a message: the id of the first one in it. */
export const blockOf = (id: bigint): bigint => (id / BLOCK) * BLOCK;

/**
 * The part of a conversation that is drawn, as indices: whole blocks around the reader, more of them below than above, and at the
 * end the last two and those begun. It has at most 200 messages.
 *
 * @param place Block of the first message in view; undefined at the end.
 */
export function getDrawn(
  messages: readonly Message[],
  place: bigint | undefined,
): { readonly from: number; readonly to: number } {
  const [first, last] = [messages[0]?.id ?? 0n, messages.at(-1)?.id ?? 0n];
  const around = place ?? blockOf(last);
  const index = (id: bigint) => Math.min(messages.length, Math.max(0, Number(id - first)));
  return { from: index(around - (place === undefined ? 2n : 1n) * BLOCK), to: index(around + 3n * BLOCK) };
}

/** @param dayOf The day of a time in the reader's time zone. */
type DayOf = (time: string) => string;

/** The rows of messages that follow each other. @param previous The message before them. */
export const getRows = (messages: readonly Message[], previous: Message | undefined, getDay: DayOf): readonly Row[] =>
  messages.map((message, at) => {
    const before = at === 0 ? previous : messages[at - 1];
    const isNewDay = startsDay(before, message, getDay);
    const replyTo = splitReply(message.message).to;
    return { message, startsDay: isNewDay, startsGroup: isNewDay || startsGroup(before, message), replyTo };
  });

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
