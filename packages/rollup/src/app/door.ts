import { balances, handlerOf, nonces } from '@switchyard/machine';
import { type AccountId, type AssetId, Rejected, type TxHash } from '@switchyard/protocol';
import { type Clock, systemClock } from '@switchyard/service';
import type { RollupChain } from './chain.ts';
import type { RollupAction, RollupDefinition, RollupTransaction, Spend } from './definition.ts';
import type { Forwarded, Forwarder } from './forwarder.ts';
import type { PendingTransactions } from './pending.ts';
import { decodeTransaction, isStrictlySigned } from './transaction.ts';

/** Not the transaction's fault: the node cannot take it now. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';

  constructor(
    readonly code: 'unavailable' | 'outcome-unknown',
    message: string,
  ) {
    super(message);
  }
}

/** What became of one transaction at the door. An error is a `Rejected` or an `Unavailable`. */
export type Submitted = { readonly hash: TxHash } | { readonly error: Error };

export interface DoorDeps<A extends RollupAction, E> {
  readonly definition: RollupDefinition<A, E>;
  readonly chain: RollupChain<A, E>;
  readonly forwarder: Forwarder;
  readonly pending: PendingTransactions<A>;
  readonly maxPending: number;
  readonly clock?: Clock;
}

/** What the committed state says of an account, read once for each commit. */
interface CommittedAccount {
  readonly nonce: number;
  readonly balances: Map<AssetId, bigint>;
}

const MAX_ACCOUNTS_SEEN = 10_000;
/** How many transactions are looked at before other work may go on: a few milliseconds of verifying. */
const TRANSACTIONS_PER_TURN = 48;

/** Where transactions come in: what could not be executed is refused here, the rest goes on to the composer. */
export class Door<A extends RollupAction, E> {
  readonly #deps: DoorDeps<A, E>;
  readonly #clock: Clock;
  readonly #accounts = new Map<AccountId, CommittedAccount>();
  /** Who waits for the composer's answer about a transaction. */
  readonly #underWay = new Map<TxHash, ((outcome: Forwarded) => void)[]>();

  constructor(deps: DoorDeps<A, E>) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    deps.chain.onCommit((_, committed) => {
      this.#accounts.clear();
      for (const { receipts } of committed) for (const { hash } of receipts) deps.pending.release(hash);
    });
  }

  /** The next nonce that this node would accept from an account. */
  nextNonce(account: AccountId): number {
    return this.#deps.pending.nextNonce(account, this.#account(account).nonce);
  }

  committedNonce(account: AccountId): number {
    return this.#account(account).nonce;
  }

  /** True while the answer of the composer about this transaction is awaited. */
  isUnderWay(hash: TxHash): boolean {
    return this.#underWay.has(hash);
  }

  /**
   * Checks a transaction and hands it on. Resolves with its hash when the composer has it on disk; the same bytes
   * again, while they are pending, resolve with the same hash.
   *
   * @throws {Rejected} for the transaction's own faults.
   * @throws {Unavailable} where the composer has not taken it, or may have.
   */
  async submit(bytes: Uint8Array): Promise<TxHash> {
    const submitted = await new Promise<Submitted>((done) => this.#submit(bytes, done));
    if ('error' in submitted) throw submitted.error;
    return submitted.hash;
  }

  /**
   * As `submit` for each, in order, giving way to other work every few milliseconds.
   *
   * @throws {Unavailable} where there is no room for all of them: half a batch would leave gaps in the nonces.
   */
  async submitAll(items: readonly Uint8Array[]): Promise<readonly Submitted[]> {
    const bytes = items.reduce((sum, { length }) => sum + length, 0);
    const busy = this.#busy(items.length, bytes);
    if (busy !== undefined) throw busy;
    const results: Submitted[] = [];
    let missing = items.length;
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    for (const [index, item] of items.entries()) {
      this.#submit(item, (submitted) => {
        results[index] = submitted;
        missing -= 1;
        if (missing === 0) finish();
      });
      if (index % TRANSACTIONS_PER_TURN === TRANSACTIONS_PER_TURN - 1) await new Promise(setImmediate);
    }
    await finished;
    return results;
  }

  /** Counts what the composer already holds, so that nonces go on behind it. */
  async restore(held: AsyncIterable<readonly Uint8Array[]>): Promise<void> {
    for await (const piece of held) {
      for (const [index, bytes] of piece.entries()) {
        this.#restoreOne(bytes);
        if (index % TRANSACTIONS_PER_TURN === TRANSACTIONS_PER_TURN - 1) await new Promise(setImmediate);
      }
    }
  }

  #restoreOne(bytes: Uint8Array): void {
    const { definition, pending } = this.#deps;
    try {
      const { envelope, transaction } = decodeTransaction(definition, bytes);
      const { hash, signer, nonce } = transaction;
      if (pending.get(hash) !== undefined || nonce < this.#account(signer).nonce) return;
      // Anybody can hand the composer bytes in another's name; only what is signed counts.
      if (isStrictlySigned(envelope)) this.#reserve(transaction, this.#spendsOf(transaction));
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
    }
  }

  #submit(bytes: Uint8Array, done: (submitted: Submitted) => void): void {
    try {
      const hash = this.#admit(bytes, (outcome, settled) => done(submittedOf(settled, outcome)));
      if (hash !== undefined) done({ hash });
    } catch (error) {
      if (error instanceof Rejected || error instanceof Unavailable) done({ error });
      else throw error;
    }
  }

  /** @returns the hash, where the composer has the transaction already; else `settle` is called. */
  #admit(bytes: Uint8Array, settle: (outcome: Forwarded, hash: TxHash) => void): TxHash | undefined {
    const { definition, forwarder, pending } = this.#deps;
    const { envelope, transaction } = decodeTransaction(definition, bytes);
    const { hash } = transaction;
    if (pending.get(hash) !== undefined) {
      const waiting = this.#underWay.get(hash);
      waiting?.push((outcome) => settle(outcome, hash));
      return waiting === undefined ? hash : undefined;
    }
    const spends = this.#check(transaction);
    const busy = this.#busy(1, bytes.length);
    if (busy !== undefined) throw busy;
    if (!isStrictlySigned(envelope)) throw new Rejected('bad-signature', { transaction: hash });
    this.#reserve(transaction, spends);
    this.#underWay.set(hash, [(outcome) => settle(outcome, hash)]);
    forwarder.forward(bytes, (outcome) => this.#settle(hash, outcome));
    return undefined;
  }

  #settle(hash: TxHash, outcome: Forwarded): void {
    const waiting = this.#underWay.get(hash) ?? [];
    this.#underWay.delete(hash);
    if (outcome.kind === 'refused' || outcome.kind === 'unavailable') this.#deps.pending.release(hash);
    for (const each of waiting) each(outcome);
  }

  #busy(items: number, bytes: number): Unavailable | undefined {
    const { forwarder, pending, maxPending } = this.#deps;
    const full = pending.size + items > maxPending;
    const reason = full ? 'too many transactions wait for their execution' : forwarder.refusal(items, bytes);
    return reason === undefined ? undefined : new Unavailable('unavailable', `nothing was accepted: ${reason}`);
  }

  /** Everything but the signature, cheapest first. */
  #check(tx: RollupTransaction<A>): readonly Spend[] {
    const { definition } = this.#deps;
    const { chainId } = definition.genesis;
    if (tx.chainId !== chainId) throw new Rejected('wrong-chain', { expected: chainId, got: tx.chainId });
    for (const action of tx.actions) handlerOf(definition.actions, action).check(action);
    const expected = this.nextNonce(tx.signer);
    if (tx.nonce < expected) throw new Rejected('nonce-too-low', { expected, got: tx.nonce });
    if (tx.nonce > expected) throw new Rejected('nonce-too-high', { expected, got: tx.nonce });
    const spends = this.#spendsOf(tx);
    for (const { asset, amount } of spends) {
      const held = this.#balance(tx.signer, asset);
      const pending = this.#deps.pending.spent(tx.signer, asset);
      if (held < pending + amount) throw new Rejected('insufficient-balance', { asset, held, pending, needed: amount });
    }
    return spends;
  }

  /** One entry for each asset. */
  #spendsOf({ actions }: RollupTransaction<A>): readonly Spend[] {
    const { spends } = this.#deps.definition;
    const [only] = actions;
    if (only !== undefined && actions.length === 1) return spends(only);
    const sums = new Map<AssetId, bigint>();
    for (const { asset, amount } of actions.flatMap(spends)) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
    return [...sums].map(([asset, amount]) => ({ asset, amount }));
  }

  #reserve(transaction: RollupTransaction<A>, spends: readonly Spend[]): void {
    this.#deps.pending.add({ transaction, spends, since: this.#clock.now() });
  }

  #account(id: AccountId): CommittedAccount {
    const seen = this.#accounts.get(id);
    if (seen !== undefined) return seen;
    if (this.#accounts.size >= MAX_ACCOUNTS_SEEN) this.#accounts.clear();
    const account = { nonce: nonces.get(this.#deps.chain.view.snapshot, id), balances: new Map<AssetId, bigint>() };
    this.#accounts.set(id, account);
    return account;
  }

  #balance(id: AccountId, asset: AssetId): bigint {
    const { balances: known } = this.#account(id);
    const held = known.get(asset) ?? balances.get(this.#deps.chain.view.snapshot, [id, asset]);
    known.set(asset, held);
    return held;
  }
}

function submittedOf(hash: TxHash, outcome: Forwarded): Submitted {
  switch (outcome.kind) {
    case 'accepted':
      return { hash };
    case 'refused':
      return { error: new Rejected('limit-reached', { transaction: hash, composer: outcome.reason }) };
    case 'unavailable':
      return { error: new Unavailable('unavailable', `nothing was accepted: ${outcome.reason}`) };
    case 'unclear':
      return {
        error: new Unavailable('outcome-unknown', `${outcome.reason}; send the same bytes again or ask for ${hash}`),
      };
  }
}
