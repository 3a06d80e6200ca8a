import type { TransactionBlocks, TransactionOutcome, WaitOptions } from '@switchyard/client/rollup';
import type { AccountId, AsyncSigner, Signer, TxHash } from '@switchyard/protocol';
import type { NamedEvent } from '../app/commits.ts';
import type { RollupAction, TransactionBody } from '../app/definition.ts';
import type { Contract } from './contract.ts';

/** The parts of a definition that are needed to sign for it. */
export type SigningContract = Pick<Contract, 'name' | 'fields' | 'actionJson' | 'body' | 'typeUrl'>;

/** A wallet that shows the transactions which it signs. */
export interface WalletSigner {
  readonly account: AccountId;
  /** The signed bytes. @throws {Error} if the wallet, or the person who has it, does not sign. */
  signTransaction(contract: SigningContract, transaction: TransactionBody<RollupAction>): Promise<Uint8Array>;
}

/** A key in memory, a key that is held elsewhere, or a wallet. */
export type AnySigner = Signer | AsyncSigner | WalletSigner;

/** How long a submission is waited for, and valid. */
export interface SubmitOptions extends Omit<WaitOptions, 'until' | 'blocks'> {
  /** The call resolves with the outcome when this is reached: `executed`, if undefined. */
  readonly until?: 'accepted' | 'executed' | 'firm';
  /** Blocks after the newest one in which it may be executed; behind them it has expired. 0 is without end; that of the client, if undefined. */
  readonly validFor?: number;
}

/** Outcome of a transaction, with its events by their types; there are none before it is executed. */
export type OutcomeOf<V> = Omit<TransactionOutcome, 'events'> & {
  readonly events: readonly V[];
  /** Blocks that can hold an accepted transaction: with them a later wait for it has an end. */
  readonly blocks?: TransactionBlocks;
};

/** A transaction was in a block and did nothing, or has expired. Neither is ever executed. See the example of {@link SubmissionFailed}. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused';
  /** The refusal, if it is one of the rollup's own. */
  readonly kind: string | undefined;

  /** @param facts Those of an own refusal by their types, if the node has kept them. */
  constructor(
    readonly outcome: TransactionOutcome,
    readonly facts?: object,
  ) {
    const { hash, state, reason = 'its block has the reason no more' } = outcome;
    super(
      state === 'expired'
        ? `transaction ${hash} has expired: no block up to its last one has it`
        : `transaction ${hash} was refused: ${reason}`,
    );
    this.kind = outcome.refusal?.kind;
  }
}

/**
 * A signed transaction was not accepted, or it is not known whether it was, or how it ended. The cause is the error of the call.
 * @example
 * ```ts
 * const { submit } = clientOf(counter, { url: 'http://127.0.0.1:3030' });
 * await submit.add({ amount: 5n }, signer).catch((error) => {
 *   if (error instanceof TransactionRefused) console.error(error.kind, error.outcome);
 *   if (error instanceof SubmissionFailed) return error.retry();
 *   throw error;
 * });
 * ```
 */
export class SubmissionFailed extends Error {
  override readonly name = 'SubmissionFailed';

  /** @param retry Submits the same bytes again, which are executed at most once, and waits for their outcome. */
  constructor(
    readonly hash: TxHash,
    readonly retry: (options?: SubmitOptions) => Promise<OutcomeOf<NamedEvent>>,
    cause: unknown,
  ) {
    super(`${cause instanceof Error ? cause.message : String(cause)} (transaction ${hash})`, { cause });
  }

  /** Why the node has refused it; undefined if the node has not answered. */
  get code(): string | undefined {
    const { cause } = this;
    return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  }
}
