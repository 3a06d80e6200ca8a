import type { StateReader, StateWriter } from '@switchyard/machine/browser';
import { type AccountId, fromHex, parseDenom } from '@switchyard/protocol';
import { address, asset, bytes, type LogEntry, log, oneOf, record, text, u128, type ValueOf } from '@switchyard/rollup';
import type { BlockRecord } from '@switchyard/rollup/node';
import type { MessengerEvent } from './events.ts';
import { MAX_NAME_BYTES, MAX_TEXT_BYTES } from './limits.ts';

const transaction = bytes({ length: 32 });

/** A posted text, with the name that its sender chose. */
const posted = record({
  ...{ transaction, sender: address },
  ...{ name: text({ maxBytes: MAX_NAME_BYTES }), text: text({ maxBytes: MAX_TEXT_BYTES }) },
});

const ZEROS = { transaction: new Uint8Array(32), sender: '00'.repeat(20) as AccountId };

export type Text = LogEntry<ValueOf<typeof posted>>;

/** Text 0 is the greeting, which has neither sender nor transaction. */
export const texts = log({
  ...{ name: 'texts', help: 'messages', value: posted },
  ...{ search: ['name', 'text'], by: { sender: ['sender'] } },
  initial: [{ ...ZEROS, name: 'astria', text: 'hello world' }],
});

export const KINDS = ['transfer', 'deposit', 'withdrawal'] as const;

/**
 * A transfer, a credited deposit or a withdrawal. `transaction` of a deposit is on the sequencer and `from` its bridge account; `to`
 * of a withdrawal is an account of the sequencer.
 */
const moved = record({
  ...{ kind: oneOf(...KINDS), transaction },
  ...{ from: address, to: address, asset, amount: u128 },
});

export type Movement = LogEntry<ValueOf<typeof moved>>;

export const journal = log({
  ...{ name: 'journal', help: 'transfers, credited deposits and withdrawals', value: moved },
  by: { account: ['from', 'to'] },
});

/** Up to `limit` texts in the order of their ids, from `first` on. */
export const textsFrom = (state: StateReader, first: bigint, limit: number): Text[] =>
  texts.range(state, { from: first, limit }).map(([, text]) => text);

/** Texts and movements of a block. */
export function onBlock({ events, deposits }: BlockRecord<MessengerEvent>, state: StateWriter): void {
  for (const { deposit, account } of deposits)
    journal.append(state, {
      ...{ kind: 'deposit', transaction: fromHex(deposit.sourceTransaction) },
      ...{ from: deposit.bridge.account, to: account, asset: parseDenom(deposit.asset).id, amount: deposit.amount },
    });
  for (const { event, signer, transaction: hash } of events) {
    const by = fromHex(hash);
    if (event.kind === 'text')
      texts.append(state, { transaction: by, sender: signer, name: event.name, text: event.text });
    else journal.append(state, { ...event, transaction: by, from: signer });
  }
}
