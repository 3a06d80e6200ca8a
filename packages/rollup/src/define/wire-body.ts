import { Rejected } from '@switchyard/protocol';
import type { RollupAction, TransactionBody } from '../app/definition.ts';
import { encode } from '../schema/codec.ts';
import { text, u32, u64 } from '../schema/scalars.ts';
import { type Fields, list, option, record, type UnionType } from '../schema/shapes.ts';

/**
 * Bytes that exist already, for a rollup that others have clients of: a body has its parameters as message 1 (nonce = 1,
 * chain id = 2, last block = 3) and its actions as field 2, and is read as every decoder of protobuf reads it.
 */
export interface WireForm {
  /** Names the kind of the signed body. */
  readonly typeUrl: string;
  readonly maxTransactionBytes: number;
}

/** Writes the signed part of transactions. */
export interface BodyEncoder {
  readonly maxBytes: number;
  /** @throws {InvalidData} with the path of a wrong value. */
  encode(transaction: TransactionBody<RollupAction>): Uint8Array;
}

export type AnyAction = UnionType<Readonly<Record<string, Fields>>>;

export const lastBlock = option(u64);
/** A chain id is at most a name of 64 bytes, a hyphen and 16 digits. */
export const parameters = { nonce: u32, chainId: text({ maxBytes: 81 }) };

export const wireBody = (action: AnyAction, maxItems: number) =>
  record({ params: record({ ...parameters, lastBlock }), actions: list(action, { maxItems }) });

/** Writes bodies of a wire form, for clients that read none. @param action The union of the actions' fields. */
export function wireEncoder(action: AnyAction, maxActions: number): BodyEncoder {
  const body = wireBody(action, maxActions);
  const { maxBytes } = body;
  return { maxBytes, encode: ({ actions, ...params }) => encode(body, { params, actions } as never) };
}

/** @throws {Rejected} for a body without actions. */
export function withActions(body: TransactionBody<RollupAction>): TransactionBody<RollupAction> {
  if (body.actions.length === 0) throw new Rejected('empty', { field: 'actions' });
  return body;
}
