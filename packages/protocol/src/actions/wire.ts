/** Actions from and to generated messages. */
import { create } from '@bufbuild/protobuf';
import { Rejected } from '../errors.ts';
import { ActionSchema, type Action as WireAction } from '../gen/astria/protocol/transaction/v1/transaction_pb.ts';
import type { ActionKind } from './definition.ts';
import { type Action, DEFINITIONS, getDefinition } from './registry.ts';

/** @throws {Rejected} `malformed` for parts that are missing, have the wrong length or do not parse. */
export function actionFromWire({ value: wire }: WireAction): Action {
  if (wire.case === undefined) throw new Rejected('malformed', { part: 'action', expected: 'a known kind' });
  // Case and value belong together, which TypeScript cannot follow through the index.
  const definition = DEFINITIONS[wire.case] as { fromWire(message: typeof wire.value): Action };
  return definition.fromWire(wire.value);
}

/** @throws {Rejected} `unsupported-action` for kinds that are known by name only. */
export function actionToWire(action: Action): WireAction {
  const value = getDefinition(action).toWire(action);
  return create(ActionSchema, { value: { case: action.kind as 'transfer', value: value as object } }); // as above
}

const fields = new Map(ActionSchema.fields.map((field) => [field.localName, field]));

/** The full protobuf name of an action's message, as fee events carry it. */
export function toProtoName(kind: ActionKind): string {
  const name = fields.get(kind)?.message?.typeName;
  if (name === undefined) throw new Error(`action ${kind} has no message`);
  return name;
}
