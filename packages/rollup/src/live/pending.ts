import { executeTransaction, nonces, Overlay, type StateReader, Steps } from '@switchyard/machine/browser';
import { type AccountId, Rejected, type Timestamp, type TxHash } from '@switchyard/protocol';
import { withBlock } from '../app/block-in-work.ts';
import { asRefusal } from '../app/bugs.ts';
import type { Handlers, RollupAction } from '../app/definition.ts';
import { type FeeRule, TransactionFees } from '../app/fees.ts';
import type { RollupGenesis } from '../app/genesis.ts';
import type { AnyRollup } from '../define/definition.ts';
import { eventCodec } from '../define/events.ts';
import { toFeeRule } from '../define/fees.ts';
import { createHandlers } from '../define/handlers.ts';
import { writeIndexes } from '../define/indexes.ts';
import { createScheduling } from '../define/scheduling.ts';
import { BOUNDS } from '../define/steps.ts';
import { Missing, Reads } from './reads.ts';
import type { Cut, Replica } from './replica.ts';

/* Actions that no block has yet, executed on the rows of the newest one. */

/** A transaction that is to be in a block. */
export interface Pending {
  readonly account: AccountId;
  readonly actions: readonly RollupAction[];
  /** Hash of its bytes, or another one before they are signed. */
  readonly hash: TxHash;
  /** Nonce of the signed bytes. */
  readonly nonce: number | undefined;
  /** Bytes for which it pays. */
  readonly size: number;
}

/** Effect of a pending transaction: undefined if it is shown. */
export type Shown =
  | { readonly kind: 'used-up' | 'missing' }
  | { readonly kind: 'refused'; readonly error: Rejected; readonly isSure: boolean };

export interface Rebased {
  /** The rows with the effects of pending transactions. */
  readonly state: Overlay;
  /** One for each transaction. */
  readonly shown: readonly (Shown | undefined)[];
  readonly reads: Reads;
}

/** The part of a definition that executes actions. */
export class Machine {
  readonly #handlers: Handlers;
  readonly #fees: FeeRule | undefined;

  constructor(
    readonly defined: AnyRollup,
    readonly genesis: RollupGenesis,
  ) {
    const { encoded } = eventCodec(defined.eventUnion);
    const refusals = defined.refusalUnion?.cases.map(({ name }) => name) ?? [];
    const { toScheduler } = createScheduling(defined, genesis);
    this.#handlers = createHandlers(defined.actions, genesis, encoded, refusals, toScheduler);
    this.#fees = defined.fees && toFeeRule(defined.fees);
  }

  /** @throws {Rejected} if the checks that need no state refuse it. */
  check(actions: readonly RollupAction[]): void {
    for (const action of actions) this.#handlers[action.kind]?.check(action);
  }

  execute(state: Overlay, { account: signer, actions, hash, size }: Pending, height: bigint, time: Timestamp): void {
    const fees = this.#fees && new TransactionFees(this.#fees, size);
    const most = Math.max(...actions.map(({ kind }) => this.defined.actions[kind]?.steps ?? BOUNDS.action));
    const exceeded = (limit: number) => new Rejected('limit-reached', { field: 'steps of the transaction', limit });
    const steps = (): Steps => {
      const own = new Steps(Math.min(most, fees?.affordable(state, signer) ?? most), exceeded);
      return fees?.countBy(own) ?? own;
    };
    const { chainId } = this.genesis;
    const tx = { signer, actions, hash, chainId, nonce: nonces.get(state, signer) };
    executeTransaction({ state, handlers: this.#handlers, tx, chainId, height, time, fees, steps });
  }
}

/** Executes pending transactions in their order. A nonce that is used up is no longer pending: its effects are among the rows. */
export function rebase(machine: Machine, replica: Replica, { block, time }: Cut, pending: readonly Pending[]): Rebased {
  const reads = new Reads(true);
  const state = new Overlay(replica.state);
  const shown = replica.read(reads, () => {
    let isMissing = false;
    return pending.map((each): Shown | undefined => {
      const result = isMissing
        ? ({ kind: 'missing' } as const)
        : attempt(machine, state, each, block + 1n, time, reads);
      // Later ones depend on its effects.
      isMissing = result?.kind === 'missing';
      return result;
    });
  });
  // Rows that were written without being read may be missing.
  writeIndexes(replica.tables, state, state, () => undefined);
  return { state, shown, reads };
}

function attempt(
  machine: Machine,
  state: Overlay,
  pending: Pending,
  height: bigint,
  time: Timestamp,
  reads: Reads,
): Shown | undefined {
  const own = state.child();
  reads.want = undefined;
  reads.isUncovered = false;
  try {
    if (pending.nonce !== undefined && pending.nonce < nonces.get(replicaOf(state), pending.account))
      return { kind: 'used-up' };
    withBlock(height, () => machine.execute(own, pending, height, time));
  } catch (error) {
    // A handler may have caught the error of a read.
    if (reads.want !== undefined || error instanceof Missing) return { kind: 'missing' };
    const refused = asRefusal(error);
    own.apply();
    return { kind: 'refused', error: refused, isSure: !reads.isUncovered };
  }
  if (reads.want !== undefined) return { kind: 'missing' };
  own.apply();
  return undefined;
}

const replicaOf = ({ base }: Overlay): StateReader => base;
