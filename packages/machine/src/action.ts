import type { AccountId, Timestamp, TxHash } from '@switchyard/protocol';
import type { Steps } from './steps.ts';
import type { StateWriter } from './store/state.ts';

/** Everything an action may see and do. Time and height are the block's; nothing else of the world comes in. */
export interface ActionContext<Event> {
  /** The overlay of the transaction's actions. */
  readonly state: StateWriter;
  readonly signer: AccountId;
  readonly height: bigint;
  readonly time: Timestamp;
  readonly tx: TxHash;
  /** Position of the action in its transaction, from 0. */
  readonly index: number;
  /** Events of a transaction that is refused are dropped with its writes. */
  emit(event: Event): void;
  /** Counts the work of the transaction, if it has a bound. */
  readonly steps?: Steps | undefined;
}

export interface ActionHandler<A, Event> {
  /** The stateless checks. Run at intake, and again on execution. */
  check(action: A): void;
  /** Refuses with `Rejected`; anything else it throws is a bug. */
  execute(action: A, context: ActionContext<Event>): void;
}

/** One handler for every kind of a union of actions: a new kind does not compile until it has one. */
export type Registry<Actions extends { readonly kind: string }, Event> = {
  readonly [K in Actions['kind']]: ActionHandler<Extract<Actions, { readonly kind: K }>, Event>;
};

export function getHandler<Actions extends { readonly kind: string }, Event>(
  handlers: Registry<Actions, Event>,
  action: Actions,
): ActionHandler<Actions, Event> {
  // The registry pairs each kind with its own handler, which TypeScript cannot follow through the index.
  return handlers[action.kind as Actions['kind']] as unknown as ActionHandler<Actions, Event>;
}
