import { formatAddress, formatRfc3339, toHex } from '@switchyard/protocol';
import { type Text as Entry, texts } from '../tables.ts';
import type { Text } from './queries.ts';

/** The log of messages, which `newest` of a live client follows. */
export const textLog = texts;
export type TextEntry = Entry;

/** An entry of the log as queries show it. */
export const textOf = ({ id, name, text, sender, block, time, transaction }: Entry): Text => ({
  ...{ id, sender: name, message: text, block, time: formatRfc3339(time) },
  // The greeting has neither.
  ...(block === 0n
    ? { address: undefined, hash: undefined }
    : { address: formatAddress(sender), hash: toHex(transaction) }),
});
