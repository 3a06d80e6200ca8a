import { Rejected } from '../errors.ts';
import type { ActionKind, UnsupportedDefinition } from './definition.ts';
import type { Group } from './group.ts';

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
