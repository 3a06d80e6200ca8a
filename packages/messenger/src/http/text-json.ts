import { formatAddress } from '@switchyard/protocol';
import { rfc3339 } from '@switchyard/rollup';
import type { Text } from '../tables/texts.ts';

/** A text as HTTP shows it. `sender` is the name that was chosen; `address` is who signed. */
export function textJson({ id, name, text, sender, block, time, transaction }: Text) {
  return {
    id,
    sender: name,
    message: text,
    address: sender === undefined ? null : formatAddress(sender),
    block,
    time: rfc3339(time),
    hash: transaction ?? null,
  };
}
