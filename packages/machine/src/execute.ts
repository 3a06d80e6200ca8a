import { type AccountId, Rejected, type Timestamp, type TxHash } from '@switchyard/protocol';
import { nonces } from './accounts.ts';
import { type ActionContext, handlerOf, type Registry } from './action.ts';
import type { Overlay } from './store/overlay.ts';

/** Facts that execution needs of a transaction whose signature has been verified. */
export interface ExecutableTransaction<Actions> {
  readonly signer: AccountId;
  readonly nonce: number;
  readonly chainId: string;
  readonly actions: readonly Actions[];
  readonly hash: TxHash;
}

export interface Execution<Actions extends { readonly kind: string }, Event> {
  /** The block so far. */
  readonly state: Overlay;
  readonly handlers: Registry<Actions, Event>;
  readonly tx: ExecutableTransaction<Actions>;
  readonly chainId: string;
  readonly height: bigint;
  readonly time: Timestamp;
  /** Runs before each action, in the same overlay: fees. */
  readonly before?: (action: Actions, context: ActionContext<Event>) => void;
}

const MAX_NONCE = 0xffff_ffff;

/**
 * Runs one transaction on a block: chain id, nonce, every action's check, then the actions in order.
 *
 * @returns its events, in order.
 * @throws {Rejected} with `state` as it was before. Anything else is a bug, and leaves `state` as it was too: an error that names the
 * action, with what its handler threw as the cause.
 */
export function executeTransaction<Actions extends { readonly kind: string }, Event>(
  execution: Execution<Actions, Event>,
): Event[] {
  const { handlers, tx, height, time, before } = execution;
  if (tx.chainId !== execution.chainId) {
    throw new Rejected('wrong-chain', { expected: execution.chainId, got: tx.chainId });
  }
  const state = execution.state.child();
  expectNonce(tx, nonces.get(state, tx.signer));
  nonces.put(state, tx.signer, tx.nonce + 1);
  checkActions(handlers, tx);

  const events: Event[] = [];
  const emit = (event: Event): void => {
    events.push(event);
  };
  tx.actions.forEach((action, index) => {
    const context = { state, signer: tx.signer, height, time, tx: tx.hash, index, emit };
    before?.(action, context);
    named(action, tx.hash, () => handlerOf(handlers, action).execute(action, context));
  });
  state.apply();
  return events;
}

/** Every action's stateless checks. @throws {Rejected}, or an error that names the action where its check has a bug. */
export function checkActions<Actions extends { readonly kind: string }>(
  handlers: Registry<Actions, never>,
  { actions, hash }: Pick<ExecutableTransaction<Actions>, 'actions' | 'hash'>,
): void {
  for (const action of actions) named(action, hash, () => handlerOf(handlers, action).check(action));
}

/** Names the action in whatever its handler throws but a refusal. */
function named({ kind }: { readonly kind: string }, hash: TxHash, run: () => void): void {
  try {
    run();
  } catch (cause) {
    if (cause instanceof Rejected) throw cause;
    throw new Error(`action ${kind} of transaction ${hash}`, { cause });
  }
}

/** @throws {Rejected} for any nonce but the expected one, and for the last one: there is none after it. */
export function expectNonce(
  { signer, nonce }: Pick<ExecutableTransaction<unknown>, 'signer' | 'nonce'>,
  expected: number,
): void {
  if (nonce < expected) throw new Rejected('nonce-too-low', { account: signer, expected, got: nonce });
  if (nonce > expected) throw new Rejected('nonce-too-high', { account: signer, expected, got: nonce });
  if (nonce === MAX_NONCE) throw new Rejected('overflow', { account: signer, nonce });
}
