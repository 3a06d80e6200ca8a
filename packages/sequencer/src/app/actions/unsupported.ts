import { type ActionKind, protoNameOf, Rejected } from '@switchyard/protocol';
import { type SequencerHandler, sequencerHandler } from './handler.ts';

/** An action that the wire knows and this chain does not run. It is refused by its name, wherever it turns up. */
export function unsupported<K extends ActionKind>(kind: K): SequencerHandler<K> {
  const refuse = (): never => {
    throw new Rejected('unsupported-action', { action: protoNameOf(kind) });
  };
  return sequencerHandler<K>({ check: refuse, verify: refuse, apply: refuse });
}
