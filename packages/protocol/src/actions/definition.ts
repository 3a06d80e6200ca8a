import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ActionSchema, Action as WireAction } from '../gen/astria/protocol/transaction/v1/transaction_pb.ts';
import type { AccountId } from '../ids.ts';
import type { Group } from './group.ts';

/** The kinds are the cases of the wire's union, under the same names. */
export type ActionKind = NonNullable<WireAction['value']['case']>;

/** The generated message of a kind, as it is decoded. */
export type WireMessage<K extends ActionKind> = Extract<WireAction['value'], { readonly case: K }>['value'];

/** Fields that the action's message is created from. */
export type WireFields<K extends ActionKind> = Extract<
  NonNullable<MessageInitShape<typeof ActionSchema>['value']>,
  { case: K; value: unknown }
>['value'];

/** Everything the protocol knows about one kind of action. Executing it is the sequencer's part. */
export interface ActionDefinition<A extends { readonly kind: ActionKind }> {
  readonly group: Group;
  /** Accounts whose nonce or balances the action can change, besides the signer's. */
  touchedAccounts(action: A): readonly AccountId[];
  /** @throws {Rejected} `malformed` for parts that are missing, have the wrong length or do not parse. */
  fromWire(message: WireMessage<A['kind']>): A;
  /** @throws {Rejected} `unsupported-action` for kinds that are known by name only. */
  toWire(action: A): WireFields<A['kind']>;
}

/** An action of which only the kind is known. */
export interface NamedAction<K extends ActionKind> {
  readonly kind: K;
}

/** A kind that is decoded by name only, so that its refusal can name it. */
export interface UnsupportedDefinition<K extends ActionKind> extends ActionDefinition<NamedAction<K>> {
  readonly unsupported: true;
}
