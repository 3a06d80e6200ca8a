import type { AccountId, TxHash } from '@switchyard/protocol';
import type { ScheduledAt } from '../app/scheduled.ts';
import type { Fields, RecordOf } from '../schema/shapes.ts';

/* Actions that a handler has executed in a later block. */

/** Part of a context that {@link schedule} and {@link cancel} need. */
export interface Scheduler {
  schedule(at: ScheduledAt, action: string | Schedulable<Fields>, fields: object): TxHash;
  cancel(id: TxHash, account: AccountId): boolean;
}

/** An action of the definition. */
interface Schedulable<F extends Fields> {
  readonly fields: F;
}

interface Context {
  readonly signer: AccountId;
  readonly scheduler: Scheduler;
}

/**
 * Has an action executed at the end of a later block, as the account that signed this one. A few are executed for each block, and the
 * others wait in their order. Its outcome is that of a transaction with the id as its hash.
 *
 * @param at A block, or the seconds since 1970 of the time that its block has at least.
 * @param action An action of the definition, or its name.
 * @returns the id.
 * @throws {Rejected} for a block or time that is over, and if the check of the action refuses the fields.
 * @example
 * ```ts
 * const id = schedule(context, { block: context.height + 10n }, 'add', { amount: 5n });
 * const wasWaiting = cancel(context, id);
 * ```
 */
export function schedule<F extends Fields>(
  context: Context,
  at: ScheduledAt,
  action: string | Schedulable<F>,
  fields: RecordOf<F>,
): TxHash {
  return context.scheduler.schedule(at, action as string | Schedulable<Fields>, fields);
}

/**
 * Takes back an action that waits. See the example of {@link schedule}.
 *
 * @param account That scheduled it; the signer, if undefined.
 * @returns false if nothing of this id and account waits: it was executed, or taken back.
 */
export function cancel(context: Context, id: TxHash, account: AccountId = context.signer): boolean {
  return context.scheduler.cancel(id, account);
}
