import { type Signer, signEnvelope } from '@switchyard/protocol';
import { union } from '@switchyard/rollup';
import { type BodyOf, wireEncoder } from '@switchyard/rollup/internal';
import { actions } from '../actions/all.ts';
import { MAX_ACTIONS, wire } from '../limits.ts';
import type { messenger } from '../messenger.ts';

export { MAX_NAME_BYTES, MAX_TEXT_BYTES } from '../limits.ts';

/** The signed part of a transaction: its actions take effect all together or not at all. */
export type MessengerBody = BodyOf<typeof messenger>;
export type MessengerAction = MessengerBody['actions'][number];

// Without the definition, which commands and pages would load as a whole.
const fields = Object.fromEntries(Object.entries(actions).map(([kind, action]) => [kind, action.fields]));
export const anyAction = union(fields);
const body = wireEncoder(anyAction, MAX_ACTIONS);

/** A signed transaction. @throws {InvalidData} with the path of a value that its type does not have. */
export const sign = (transaction: MessengerBody, signer: Signer): Uint8Array =>
  signEnvelope(wire.typeUrl, body.encode(transaction), signer);
