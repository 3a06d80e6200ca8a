import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AccountId } from '../accounts/ids.ts';
import { Rejected } from '../errors.ts';
import type { ActionSchema, Action as WireAction } from '../gen/astria/protocol/transaction/v1/transaction_pb.ts';
import type { Field } from './fields.ts';
import type { Group } from './group.ts';

/** The kinds are the cases of the wire's union, under the same names. */
export type ActionKind = NonNullable<WireAction['value']['case']>;

/** The generated message of a kind, in decoded form. */
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

/** Fields by the names of the members: each reads the message's member of its name. */
type Members<K extends ActionKind> = Readonly<
  Record<
    string,
    {
      [N in keyof WireMessage<K>]: { readonly name: N; fromWire(value: WireMessage<K>[N]): unknown };
    }[keyof WireMessage<K>]
  >
>;

/** The action that some members make. */
type Made<K extends ActionKind, M> = { readonly kind: K } & {
  readonly [N in keyof M]: M[N] extends Field<infer T, never> ? T : never;
};

/** A kind whose members are fields of its message. */
export function action<K extends ActionKind, const M extends Members<K>>(
  kind: K,
  group: Group,
  members: M,
  touchedAccounts: (action: Made<K, M>) => readonly AccountId[] = () => [],
): ActionDefinition<Made<K, M>> {
  // Each member has the type that its field states, which TypeScript cannot follow through the names.
  const fields = Object.entries(members) as unknown as readonly (readonly [string, Field<unknown, unknown>])[];
  return {
    group,
    touchedAccounts,
    fromWire(message) {
      const made: Record<string, unknown> = { kind };
      for (const [member, { name, fromWire }] of fields) made[member] = fromWire(message[name as never]);
      return made as Made<K, M>;
    },
    toWire(given) {
      const message: Record<string, unknown> = {};
      for (const [member, { name, toWire }] of fields) {
        const value = toWire(given[member as keyof typeof given]);
        if (value !== undefined) message[name] = value;
      }
      return message as WireFields<Made<K, M>['kind']>;
    },
  };
}

/** An action of which only the kind is known. */
export interface NamedAction<K extends ActionKind> {
  readonly kind: K;
}

/** A kind that is decoded by name only, so that its refusal can name it. */
export interface UnsupportedDefinition<K extends ActionKind> extends ActionDefinition<NamedAction<K>> {
  readonly unsupported: true;
}

/** A kind of the wire that this chain does not run: any message of it decodes, and none is encoded. */
export function unsupported<K extends ActionKind>(kind: K, group: Group): UnsupportedDefinition<K> {
  return {
    unsupported: true,
    group,
    touchedAccounts: () => [],
    fromWire: () => ({ kind }),
    toWire() {
      throw new Rejected('unsupported-action', { action: kind });
    },
  };
}
