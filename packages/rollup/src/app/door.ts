import { balances, handlerOf, nonces } from '@switchyard/machine';
import { type AccountId, type AssetId, Rejected, type TxHash } from '@switchyard/protocol';
import { type Clock, systemClock } from '@switchyard/service';
import type { RollupChain } from './chain.ts';
import type { RollupAction, RollupDefinition, RollupTransaction, Spend } from './definition.ts';
import type { Forwarded, Forwarder } from './forwarder.ts';
import type { PendingTransactions } from './pending.ts';
import { decodeTransaction, isStrictlySigned } from './transaction.ts';
import type { VerifiedTransactions } from './verified.ts';

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

export interface DoorDeps<A extends RollupAction, E> {
  readonly definition: RollupDefinition<A, E>;
  readonly chain: RollupChain<A, E>;
  readonly forwarder: Forwarder;
  readonly pending: PendingTransactions;
  readonly verified: VerifiedTransactions;
  readonly clock?: Clock;
  readonly maxPending?: number;
}

/** What the committed state says of an account, read once for each commit. */
interface CommittedAccount {
  readonly nonce: number;
  readonly balances: Map<AssetId, bigint>;
}

const MAX_PENDING = 65_536;
const MAX_ACCOUNTS_SEEN = 10_000;
const TURN_MS = 5;

/** Where transactions come in: what could not be executed is refused here, the rest goes on to the composer. */
export class Door<A extends RollupAction, E> {
  readonly #deps: DoorDeps<A, E>;
  readonly #clock: Clock;
  readonly #accounts = new Map<AccountId, CommittedAccount>();
  readonly #underWay = new Map<TxHash, Promise<Forwarded>>();

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
    const { hash, forwarded } = this.#admit(bytes);
    const outcome = await forwarded;
    switch (outcome.kind) {
      case 'accepted':
        return hash;
      case 'refused':
        throw new Rejected('limit-reached', { transaction: hash, composer: outcome.reason });
      case 'unavailable':
        throw new Unavailable('unavailable', `nothing was accepted: ${outcome.reason}`);
      case 'unclear':
        throw new Unavailable('outcome-unknown', `${outcome.reason}; send the same bytes again or ask for ${hash}`);
    }
  }

  /**
   * As `submit` for each, in order, giving way to other work every few milliseconds.
   *
   * @throws {Unavailable} where there is no room for all of them: half a batch would leave gaps in the nonces.
   */
  async submitAll(items: readonly Uint8Array[]): Promise<PromiseSettledResult<TxHash>[]> {
    const bytes = items.reduce((sum, { length }) => sum + length, 0);
    const busy = this.#busy(items.length, bytes);
    if (busy !== undefined) throw busy;
    const submitted: Promise<TxHash>[] = [];
    let turn = this.#clock.now();
    for (const bytes of items) {
      const submission = this.submit(bytes);
      // It is awaited below; until then its failure is nobody's surprise.
      submission.catch(() => undefined);
      submitted.push(submission);
      if (this.#clock.now() - turn < TURN_MS) continue;
      await new Promise(setImmediate);
      turn = this.#clock.now();
    }
    return Promise.allSettled(submitted);
  }

  /** Counts what the composer already holds, so that nonces go on behind it. */
  async restore(held: AsyncIterable<readonly Uint8Array[]>): Promise<void> {
    for await (const piece of held) await this.#restorePiece(piece);
  }

  async #restorePiece(piece: readonly Uint8Array[]): Promise<void> {
    let turn = this.#clock.now();
    for (const bytes of piece) {
      this.#restoreOne(bytes);
      if (this.#clock.now() - turn < TURN_MS) continue;
      await new Promise(setImmediate);
      turn = this.#clock.now();
    }
  }

  #restoreOne(bytes: Uint8Array): void {
    const { definition, pending, verified } = this.#deps;
    try {
      const tx = decodeTransaction(definition, bytes);
      if (pending.get(tx.hash) !== undefined || tx.nonce < this.#account(tx.signer).nonce) return;
      // Anybody can hand the composer bytes in another's name; only what is signed counts.
      if (!verified.has(tx.hash) && !isStrictlySigned(tx.envelope)) return;
      verified.add(tx.hash);
      this.#reserve(tx, this.#spendsOf(tx));
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
    }
  }

  #admit(bytes: Uint8Array): { readonly hash: TxHash; readonly forwarded: Promise<Forwarded> } {
    const { definition, forwarder, pending, verified } = this.#deps;
    const tx = decodeTransaction(definition, bytes);
    const { hash } = tx;
    if (pending.get(hash) !== undefined) {
      return { hash, forwarded: this.#underWay.get(hash) ?? Promise.resolve({ kind: 'accepted' }) };
    }
    const spends = this.#check(tx);
    const busy = this.#busy(1, bytes.length);
    if (busy !== undefined) throw busy;
    if (!isStrictlySigned(tx.envelope)) throw new Rejected('bad-signature', { transaction: hash });
    verified.add(hash);
    this.#reserve(tx, spends);
    const forwarded = forwarder.forward(bytes).then((outcome) => {
      this.#underWay.delete(hash);
      if (outcome.kind === 'refused' || outcome.kind === 'unavailable') pending.release(hash);
      return outcome;
    });
    this.#underWay.set(hash, forwarded);
    return { hash, forwarded };
  }

  #busy(items: number, bytes: number): Unavailable | undefined {
    const { forwarder, pending, maxPending = MAX_PENDING } = this.#deps;
    const reason =
      pending.size + items > maxPending
        ? 'too many transactions wait for their execution'
        : forwarder.refusal(items, bytes);
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
    const all = actions.flatMap((action) => this.#deps.definition.spends(action));
    if (all.length <= 1) return all;
    const sums = new Map<AssetId, bigint>();
    for (const { asset, amount } of all) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
    return [...sums].map(([asset, amount]) => ({ asset, amount }));
  }

  #reserve({ hash, signer, nonce }: RollupTransaction<A>, spends: readonly Spend[]): void {
    this.#deps.pending.add({ hash, signer, nonce, spends, since: this.#clock.now() });
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
