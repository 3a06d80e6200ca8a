/**
 * The wire form of every kind of action. A case of the wire's union without an entry here does not compile; docs/how-to/add-actions-and-queries.md
 * describes how to add one.
 */
import type { Action as WireAction } from '../gen/transaction/v1/transaction_pb.ts';
import type { ActionCodec } from './codec.ts';
import { sendText } from './send-text.ts';
import { transfer } from './transfer.ts';
import { withdraw } from './withdraw.ts';

type WireKind = NonNullable<WireAction['value']['case']>;

export const CODECS = {
  transfer,
  sendText,
  withdraw,
} satisfies { readonly [K in WireKind]: { parse(fields: never): { readonly kind: K } } };

export type ActionKind = keyof typeof CODECS;

export type ActionOf<K extends ActionKind> = { readonly [Kind in K]: ReturnType<(typeof CODECS)[Kind]['parse']> }[K];

export type MessengerAction = ActionOf<ActionKind>;

// Each codec is used with its own fields and actions only, which TypeScript cannot follow through a lookup.
export type AnyCodec = ActionCodec<MessengerAction, unknown>;

const byField = new Map(Object.values(CODECS).map((codec) => [codec.field, codec as unknown as AnyCodec]));

/** The codec of a field of `Action`. */
export const codecOfField = (field: number): AnyCodec | undefined => byField.get(field);

export const codecOf = ({ kind }: MessengerAction): AnyCodec => CODECS[kind] as unknown as AnyCodec;
