import { wireDecoder } from '#definitions';
import type { RollupAction, TransactionBody } from '../app/definition.ts';
import { decode, encode } from '../schema/codec.ts';
import { list, record } from '../schema/shapes.ts';
import {
  type AnyAction,
  type BodyEncoder,
  lastBlock,
  parameters,
  type WireForm,
  wireEncoder,
  withActions,
} from './wire-body.ts';

/** The signed part of transactions. */
export interface BodyCodec extends BodyEncoder {
  /** @throws {Rejected} for bytes that are no body of at least one action. */
  decode(bytes: Uint8Array): TransactionBody<RollupAction>;
}

const plainBody = (action: AnyAction, maxItems: number) =>
  record({ ...parameters, actions: list(action, { maxItems }), lastBlock });

/** @throws {Error} for too many values. */
export function toBody(action: AnyAction, maxActions: number, wire: WireForm | undefined): BodyCodec {
  if (wire === undefined) {
    const body = plainBody(action, maxActions);
    return {
      maxBytes: body.maxBytes,
      // The fields of a body are those of the interface, and its actions those of the definition.
      encode: (transaction) => encode(body, transaction as never),
      decode: (bytes) => withActions(decode(body, bytes) as unknown as TransactionBody<RollupAction>),
    };
  }
  return { ...wireEncoder(action, maxActions), decode: wireDecoder(action, maxActions) };
}
