import type { ActionHandler } from '@switchyard/machine';
import type { Spend } from '@switchyard/rollup';
import type { ActionKind, ActionOf } from '../wire/registry.ts';

/** What executed transactions announce. */
export interface MessengerEvent {
  readonly kind: 'text';
  readonly name: string;
  readonly text: string;
}

/** What the messenger does with one kind of action. */
export interface MessengerHandler<K extends ActionKind> extends ActionHandler<ActionOf<K>, MessengerEvent> {
  /** What the action takes from its signer, so that the intake can refuse what cannot be paid. */
  spends(action: ActionOf<K>): readonly Spend[];
}
