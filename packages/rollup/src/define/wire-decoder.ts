import type { RollupAction, TransactionBody } from '../app/definition.ts';
import { lenientDecoder } from '../schema/lenient.ts';
import { type AnyAction, wireBody, withActions } from './wire-body.ts';

/** Reads bodies of a wire form. @throws {Rejected} for bytes that are no body of at least one action. */
export function wireDecoder(
  action: AnyAction,
  maxActions: number,
): (bytes: Uint8Array) => TransactionBody<RollupAction> {
  const decode = lenientDecoder(wireBody(action, maxActions));
  return (bytes) => {
    const { params, actions } = decode(bytes);
    return withActions({ ...params, actions });
  };
}
