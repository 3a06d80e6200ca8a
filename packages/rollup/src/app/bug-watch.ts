import type { Logger, Metrics } from '@switchyard/service';
import type { Overtime } from '#time-limit';
import type { RollupChain } from './chain.ts';
import { failureText } from './failure-text.ts';
import { gapText } from './hook-gaps.ts';

/** Logs and counts the bugs of handlers. `degraded` returns why the node is, undefined while it is not. */
export function watchBugs(chain: RollupChain, log: Logger, metrics: Metrics) {
  const found = metrics.counter('handler_bugs_total', 'transactions and deposits that a bug of a handler has hit');
  let newest: string | undefined;
  chain.onCommit((_, committed) => {
    for (const { number: block, bugs, hookFailure } of committed) {
      const [first] = bugs;
      if (first !== undefined) {
        found.add(bugs.length);
        newest = `block ${block}: ${first.refused.message}`;
        const { transaction, refused } = first;
        const error = failureText(refused.cause);
        log.error({ ...refused.facts, block, transaction, error, others: bugs.length - 1 }, 'a handler has a bug');
      }
      if (hookFailure !== undefined) {
        const error = failureText(hookFailure);
        log.error({ block, error }, 'onBlock has a bug: the rows that it derives from this block are missing');
      }
    }
  });
  return {
    degraded: (): string | undefined => gapText(chain.view.snapshot) ?? newest,
    onLate({ message }: Overtime): void {
      found.add(1);
      newest = `intake: ${message}`;
      log.error({ error: message }, 'a check has a bug: its actions are refused for a while');
    },
  };
}
