import { type AccountId, Rejected, type Timestamp, type TxHash } from '@switchyard/protocol';
import { nonces } from './accounts.ts';
import { type ActionContext, getHandler, type Registry } from './action.ts';
import type { Steps } from './steps.ts';
import type { Overlay } from './store/overlay.ts';
import type { StateWriter } from './store/state.ts';

/** Facts that execution needs of a transaction whose signature has been verified. */
export interface ExecutableTransaction<Actions> {
  readonly signer: AccountId;
  readonly nonce: number;
  readonly chainId: string;
  readonly actions: readonly Actions[];
  /** The last block that may hold it; any, if undefined. */
  readonly lastBlock?: bigint | undefined;
  readonly hash: TxHash;
}

/** Charges for the place in a block, regardless of the outcome of the transaction. */
export interface ExecutionFees {
  /** Runs before the nonce is used up. @throws {Rejected} if the transaction leaves nothing. */
  enter(state: StateWriter, signer: AccountId): void;
  /** Runs behind the actions, in their overlay; the caller runs it for a transaction that is refused. @throws {Rejected} */
  settle(state: StateWriter): void;
}

export interface Execution<Actions extends { readonly kind: string }, Event> {
  /** The block so far. */
  readonly state: Overlay;
  readonly handlers: Registry<Actions, Event>;
  readonly tx: ExecutableTransaction<Actions>;
  readonly chainId: string;
  readonly height: bigint;
  readonly time: Timestamp;
  /** Counts the work of the transaction, if it has a bound. Called behind `fees.enter`. */
  readonly steps?: () => Steps | undefined;
  readonly fees?: ExecutionFees | undefined;
  /** Runs before each action, in the same overlay: fees. */
  readonly before?: (action: Actions, context: ActionContext<Event>) => void;
  /** Refuses an event more than the rules allow. */
  readonly admit?: ((event: Event) => void) | undefined;
}

const MAX_NONCE = 0xffff_ffff;

/**
 * Runs one transaction on a block: chain id, nonce, every action's check, then the actions in order.
 *
 * @returns its events, in order.
 * @throws {Rejected} `wrong-chain`, for its nonce, `expired`, or because it cannot enter, with `state` unchanged; with the nonce
 * used up in `state`, for any later refusal. Anything else is a bug: an error that names the action, with the error that its handler
 * threw as the cause.
 */
export function executeTransaction<Actions extends { readonly kind: string }, Event>(
  execution: Execution<Actions, Event>,
): Event[] {
  const { tx, height } = execution;
  if (tx.chainId !== execution.chainId) {
    throw new Rejected('wrong-chain', { expected: execution.chainId, got: tx.chainId });
  }
  expectNonce(tx, nonces.get(execution.state, tx.signer));
  expectInTime(tx, height);
  execution.fees?.enter(execution.state, tx.signer);
  // Not in the overlay that a refusal drops: else its public bytes could be executed whenever that suits a stranger.
  nonces.put(execution.state, tx.signer, tx.nonce + 1);
  return executeActions(execution);
}

/**
 * Runs the checks of all actions, and then the actions in order, in an overlay of their own.
 *
 * @returns their events, in order.
 * @throws {Rejected} with `state` unchanged; anything else is a bug, as in {@link executeTransaction}.
 */
export function executeActions<Actions extends { readonly kind: string }, Event>(
  execution: Omit<Execution<Actions, Event>, 'tx' | 'chainId'> & {
    readonly tx: Pick<ExecutableTransaction<Actions>, 'signer' | 'actions' | 'hash'>;
  },
): Event[] {
  const { handlers, tx, height, time, before, admit, fees } = execution;
  const steps = execution.steps?.();
  const state = execution.state.child();
  checkActions(handlers, tx);

  const events: Event[] = [];
  const emit = (event: Event): void => {
    admit?.(event);
    events.push(event);
  };
  let index = 0;
  for (const action of tx.actions) {
    const context = { state, signer: tx.signer, height, time, tx: tx.hash, index, emit, steps };
    before?.(action, context);
    try {
      getHandler(handlers, action).execute(action, context);
    } catch (cause) {
      throw named(action, tx.hash, cause);
    }
    index += 1;
  }
  fees?.settle(state);
  state.apply();
  return events;
}

/** Every action's stateless checks. @throws {Rejected}, or an error that names the action if its check has a bug. */
export function checkActions<Actions extends { readonly kind: string }>(
  handlers: Registry<Actions, never>,
  { actions, hash }: Pick<ExecutableTransaction<Actions>, 'actions' | 'hash'>,
): void {
  for (const action of actions) {
    try {
      getHandler(handlers, action).check(action);
    } catch (cause) {
      throw named(action, hash, cause);
    }
  }
}

/** The error with the name of the action, unless it is a refusal. */
function named({ kind }: { readonly kind: string }, hash: TxHash, cause: unknown): unknown {
  return cause instanceof Rejected ? cause : new Error(`action ${kind} of transaction ${hash}`, { cause });
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

/** @throws {Rejected} `expired` if the last block that may hold it is before this one: then no other will. */
export function expectInTime({ lastBlock }: Pick<ExecutableTransaction<unknown>, 'lastBlock'>, block: bigint): void {
  if (lastBlock !== undefined && lastBlock < block) throw new Rejected('expired', { lastBlock, block });
}
