import { nowRuns } from '#time-limit';
import { asRefusal } from './bugs.ts';
import type { Handler, Handlers, Rules } from './definition.ts';

/** The handlers of a definition. Their bugs refuse the transaction, and do not stop the chain. */
export function refusingBugs({ actions }: Pick<Rules, 'actions'>): Handlers {
  return mapHandlers(actions, (handler, kind) => ({
    check(action) {
      nowRuns('check of action', kind);
      try {
        handler.check(action);
      } catch (error) {
        throw asRefusal(error, { action: kind });
      }
    },
    execute(action, context) {
      nowRuns('action', kind, 'of transaction', context.tx);
      try {
        handler.execute(action, context);
      } catch (error) {
        throw asRefusal(error, { action: kind });
      }
    },
  }));
}

/** Another handler for each kind of action. */
export function mapHandlers(handlers: Handlers, map: (handler: Handler, kind: string) => Handler): Handlers {
  return Object.fromEntries(Object.entries<Handler>(handlers).map(([kind, handler]) => [kind, map(handler, kind)]));
}
