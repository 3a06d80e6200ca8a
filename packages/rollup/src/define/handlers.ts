import { mustBeOver } from '../app/bugs.ts';
import type { EncodedEvent, NamedEvent } from '../app/commits.ts';
import type { Handler, Handlers } from '../app/definition.ts';
import type { RollupGenesis } from '../app/genesis.ts';
import type { Actions } from './definition.ts';
import { numbered } from './refusals.ts';
import type { createScheduling } from './scheduling.ts';
import { BOUNDS, CountedState, stepsOfAction } from './steps.ts';

/** The handlers of a definition as a machine runs them, in a node and in a page: with their steps counted and their refusals numbered. */
export function createHandlers(
  actions: Actions,
  genesis: RollupGenesis,
  encoded: (event: NamedEvent) => EncodedEvent,
  refusals: readonly string[],
  toScheduler: ReturnType<typeof createScheduling>['toScheduler'],
): Handlers {
  const checked = { genesis };
  return Object.fromEntries(
    Object.entries(actions).map(([kind, { check, execute, steps = BOUNDS.action }]): [string, Handler] => {
      const counted = stepsOfAction(kind, steps);
      const handler: Handler = {
        check(action) {
          try {
            mustBeOver(check?.(action as never, checked));
          } catch (error) {
            throw numbered(refusals, error);
          }
        },
        execute(action, context) {
          const { signer, height, time, tx, index } = context;
          const state = new CountedState(context.state, counted(context.steps));
          const emit = (event: NamedEvent): void => context.emit(encoded(event));
          const scheduler = toScheduler(state, context);
          const own = { state, signer, height, time, tx, index, steps: context.steps, genesis, emit, scheduler };
          try {
            mustBeOver(execute(action as never, own));
          } catch (error) {
            throw numbered(refusals, error);
          }
        },
      };
      return [kind, handler];
    }),
  );
}
