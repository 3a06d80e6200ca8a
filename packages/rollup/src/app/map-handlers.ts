import type { ActionHandler, Registry } from '@switchyard/machine';
import type { RollupAction, RollupDefinition } from './definition.ts';

/** The definition with another handler for each kind of action. */
export function mapHandlers<A extends RollupAction, E>(
  definition: RollupDefinition<A, E>,
  map: (handler: ActionHandler<A, E>, kind: string) => ActionHandler<A, E>,
): RollupDefinition<A, E> {
  const entries = Object.entries<ActionHandler<A, E>>(definition.actions).map(
    ([kind, handler]): [string, ActionHandler<A, E>] => [kind, map(handler, kind)],
  );
  // Each kind has what was made from the handler that it had.
  return { ...definition, actions: Object.fromEntries(entries) as unknown as Registry<A, E> };
}
