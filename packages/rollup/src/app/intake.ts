import { balances, checkActions, expectInTime, expectNonce, nonces } from '@switchyard/machine';
import { type AccountId, type AssetId, ForeseenError, Rejected, type TxHash } from '@switchyard/protocol';
import { type Clock, Turns, turn } from '@switchyard/service';
import { nowRuns, Overtime, withTimeLimit } from '#time-limit';
import { AccountLines, type Place } from './account-lines.ts';
import { asRefusal, mayDiffer } from './bugs.ts';
import type { RollupChain } from './chain.ts';
import type {
  Handlers,
  RollupDefinition,
  RollupTransaction,
  SignedEnvelope,
  SignedTransaction,
  Spend,
} from './definition.ts';
import { feeOfBytes } from './fees.ts';
import type { Forwarded, Forwarder } from './forwarder.ts';
import { Handovers } from './handovers.ts';
import type { PendingTransactions } from './pending.ts';
import { refusingBugs } from './refusing-bugs.ts';
import type { SignatureVerifier } from './signatures/verifier.ts';
import { decodeTransaction, isStrictlySigned } from './transaction.ts';

/** Not the transaction's fault: the node cannot take it now. */
export class Unavailable extends ForeseenError {
  override readonly name = 'Unavailable';

  constructor(
    readonly code: 'unavailable' | 'outcome-unknown',
    message: string,
  ) {
    super(message);
  }
}

/** Outcome of one transaction at intake. An error is a `Rejected` or an `Unavailable`. */
export type Submitted = { readonly hash: TxHash } | { readonly error: Error };

export interface IntakeDeps {
  readonly definition: RollupDefinition;
  readonly chain: RollupChain;
  readonly forwarder: Forwarder;
  readonly pending: PendingTransactions;
  readonly maxPending: number;
  /** For batches. */
  readonly verifier: SignatureVerifier;
  readonly clock: Clock;
  /** Milliseconds that the checks of some transactions may take. */
  readonly handlerLimitMs?: number | undefined;
  /** Is called if an action has not been checked in this time. */
  readonly onLate: (error: Overtime) => void;
}

/** A transaction that was read by the code of its definition. */
interface Read {
  readonly bytes: Uint8Array;
  readonly signed: SignedTransaction;
  /** Why its actions are refused, in any state. */
  readonly problem?: unknown;
  /** One entry for each asset. */
  readonly spends: readonly Spend[];
}

/** Includes unreadable ones. */
type Decoded = Read | { readonly bytes: Uint8Array; readonly error: unknown };

/** An account in the committed state, read once per commit. */
interface CommittedAccount {
  readonly nonce: number;
  readonly balances: Map<AssetId, bigint>;
}

const MAX_ACCOUNTS_SEEN = 10_000;
/** How many transactions are verified here before yielding to other work: a few milliseconds. */
const VERIFIED_PER_TURN = 48;
/** How many are handled in one round of the event loop, while others verify: about two milliseconds. */
const PER_ROUND = 128;
const HANDLER_LIMIT_MS = 2_000;
/** Pause of a kind of action whose check or spends has not ended: the next one would hold up this thread as well. */
const REST_MS = 60_000;

/** Accepts transactions: inexecutable ones are refused here, the rest is forwarded to the composer. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #accounts = new Map<AccountId, CommittedAccount>();
  readonly #handlers: Handlers;
  readonly #handovers: Handovers;
  /** A submission waits here while earlier ones of the same account are being verified. */
  readonly #lines = new AccountLines();
  /** Resolves when all batches that came before are decoded: only then is it known whose they are. Absent when they are. */
  #decoding: Promise<unknown> | undefined;
  /** Submitted alone in this round of the event loop: they are read together. */
  readonly #alone: { readonly bytes: Uint8Array; done(read: Decoded): void }[] = [];
  #inLine = 0;
  /** Work of all batches, one piece in each round of the event loop. */
  readonly #rounds = new Turns();
  /** The kind of action whose code runs, and until when others are not run. */
  #kind = '';
  readonly #resting = new Map<string, number>();

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#handlers = refusingBugs(deps.definition);
    const { forwarder, pending, clock } = deps;
    this.#handovers = new Handovers({ forwarder, clock, onDropped: (hash) => pending.release(hash) });
    deps.chain.onCommit(({ soft }, committed) => {
      this.#accounts.clear();
      for (const { receipts } of committed) for (const { hash } of receipts) this.release(hash);
      for (const { transaction } of pending.values()) {
        if (transaction.lastBlock !== undefined && transaction.lastBlock <= soft) this.release(transaction.hash);
      }
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
    return this.#handovers.isUnderWay(hash);
  }

  /** True while it is unknown whether the composer has this transaction. */
  isUnclear(hash: TxHash): boolean {
    return this.#handovers.isUnclear(hash);
  }

  /** Hands unclear transactions to the composer again. */
  resendUnclear(): void {
    this.#handovers.resend();
  }

  /** Stops counting a transaction: a block has shown it, or none ever will. */
  release(hash: TxHash): void {
    this.#handovers.forget(hash);
    this.#deps.pending.release(hash);
  }

  /**
   * Checks a transaction and hands it on. Resolves with its hash when the composer has it on disk; the same bytes
   * again, while they are pending, resolve with the same hash.
   *
   * @throws {Rejected} for the transaction's own faults.
   * @throws {Unavailable} if the composer has not taken it, or may have.
   */
  async submit(bytes: Uint8Array): Promise<TxHash> {
    // Alone it is verified here, at once; behind a batch with the same account it waits.
    const alone = this.#decoding === undefined ? await this.#readAlone(bytes) : undefined;
    const submitted =
      alone !== undefined && ('error' in alone || this.#lines.isEmpty(alone.signed.transaction.signer))
        ? await new Promise<Submitted>((done) => this.#take(alone, undefined, done))
        : (await this.submitAll([bytes]))[0];
    if (submitted === undefined) throw new Error('nothing became of a transaction');
    if ('error' in submitted) throw submitted.error;
    return submitted.hash;
  }

  #readAlone(bytes: Uint8Array): Promise<Decoded> {
    if (this.#alone.length === 0) void turn().then(() => this.#endRound());
    return new Promise((done) => void this.#alone.push({ bytes, done }));
  }

  async #endRound(): Promise<void> {
    const alone = this.#alone.splice(0);
    for (const [index, read] of this.#readSome(alone.map(({ bytes }) => bytes)).entries()) alone[index]?.done(read);
  }

  /**
   * Submits each as `submit` does, in order. Signatures are verified together; later submissions wait behind.
   *
   * @throws {Unavailable} if there is no room for all of them: half a batch would leave gaps in the nonces.
   */
  async submitAll(items: readonly Uint8Array[]): Promise<readonly Submitted[]> {
    // Submissions that came alone before it, and have to wait, take their places first.
    if (this.#alone.length > 0) await this.#endRound();
    const bytes = items.reduce((sum, { length }) => sum + length, 0);
    const busy = this.#busy(this.#inLine + items.length, bytes);
    if (busy !== undefined) throw busy;
    this.#inLine += items.length;
    const answers: Promise<Submitted>[] = [];
    let place: Place | undefined;
    try {
      const decoded = await this.#decodeAll(items);
      place = this.#lines.enter(
        new Set(decoded.flatMap((each) => ('signed' in each ? [each.signed.transaction.signer] : []))),
      );
      const verdicts = await this.#verify(decoded);
      await place.ahead;
      for (const [index, each] of decoded.entries()) {
        answers.push(new Promise((done) => this.#take(each, verdicts[index], done)));
        if (index % PER_ROUND === PER_ROUND - 1) await this.#rounds.take();
      }
    } finally {
      this.#inLine -= items.length;
      place?.leave();
    }
    return Promise.all(answers);
  }

  /** In the order in which batches came, and some at a time. */
  async #decodeAll(items: readonly Uint8Array[]): Promise<readonly Decoded[]> {
    const before = this.#decoding;
    const decoding = (async () => {
      await before;
      const decoded: Decoded[] = [];
      for (let at = 0; at < items.length; at += PER_ROUND) {
        if (at > 0) await this.#rounds.take();
        decoded.push(...this.#readSome(items.slice(at, at + PER_ROUND)));
      }
      return decoded;
    })();
    this.#decoding = decoding;
    const decoded = await decoding;
    if (this.#decoding === decoding) this.#decoding = undefined;
    return decoded;
  }

  /** Undefined for those whose signature may not matter: it is looked at when everything else is found good. */
  async #verify(decoded: readonly Decoded[]): Promise<readonly (boolean | undefined)[]> {
    const worth: SignedEnvelope[] = [];
    const isWorth = decoded.map((each) => {
      if (!('signed' in each) || !this.#mayPass(each.signed.transaction, decoded.length)) return false;
      worth.push(each.signed.envelope);
      return true;
    });
    const good = await this.#deps.verifier.verify(worth);
    let next = 0;
    return isWorth.map((is) => (is ? good[next++] : undefined));
  }

  /** Whether it could be let in together with this many others. Cheap, so that invalid transactions cost no verification. */
  #mayPass({ hash, signer, nonce, chainId }: RollupTransaction, others: number): boolean {
    const { definition, pending } = this.#deps;
    if (chainId !== definition.genesis.chainId || pending.get(hash) !== undefined) return false;
    const next = this.nextNonce(signer);
    return nonce >= next && nonce < next + this.#inLine + others;
  }

  /** Counts transactions already in the composer, so that nonces continue after it. */
  async restore(held: AsyncIterable<readonly Uint8Array[]>): Promise<void> {
    for await (const piece of held) {
      for (let at = 0; at < piece.length; at += VERIFIED_PER_TURN) {
        for (const read of this.#readSome(piece.slice(at, at + VERIFIED_PER_TURN)))
          if ('signed' in read) this.#restoreOne(read);
        await turn();
      }
    }
  }

  #restoreOne(read: Read): void {
    const { pending } = this.#deps;
    const { envelope, transaction } = read.signed;
    const { hash, signer, nonce } = transaction;
    try {
      if (pending.get(hash) !== undefined) {
        this.#handovers.forget(hash);
        return;
      }
      if (nonce < this.#account(signer).nonce || pending.size >= this.#deps.maxPending) return;
      // Anybody can hand the composer any bytes: only executable transactions count, as if it were submitted here. The
      // outcome of the rest is up to its block.
      this.#expectNext(transaction, read.problem);
      this.#mustAfford(transaction, read.spends);
      if (isStrictlySigned(envelope)) this.#reserve(transaction, read.spends);
    } catch (error) {
      if (!(error instanceof Unavailable)) asRefusal(error);
    }
  }

  /** The first block that can include a transaction accepted now. */
  #nextBlock(): bigint {
    return this.#deps.chain.view.soft + 1n;
  }

  /** Reads some under one limit, whose cost is that of several readings. */
  #readSome(items: readonly Uint8Array[]): readonly Decoded[] {
    const { handlerLimitMs = HANDLER_LIMIT_MS, clock, onLate } = this.#deps;
    const read: Decoded[] = [];
    while (read.length < items.length) {
      try {
        withTimeLimit(handlerLimitMs, () => {
          for (const item of items.slice(read.length)) read.push(this.#read(item));
        });
      } catch (error) {
        const bytes = items[read.length];
        if (!(error instanceof Overtime) || bytes === undefined) throw error;
        this.#resting.set(this.#kind, clock.now() + REST_MS);
        onLate(error);
        read.push({ bytes, error: toRest(this.#kind) });
      }
    }
    return read;
  }

  /** All that the code of the definition finds in a transaction. It changes nothing but the kind that is being checked. */
  #read(bytes: Uint8Array): Decoded {
    const { definition, clock } = this.#deps;
    let signed: SignedTransaction;
    try {
      signed = decodeTransaction(definition, bytes, true, this.#nextBlock());
    } catch (error) {
      return { bytes, error };
    }
    const { actions, hash, chainId: got } = signed.transaction;
    const { chainId: expected } = definition.genesis;
    const spends: Spend[] = [];
    try {
      if (got !== expected) throw new Rejected('wrong-chain', { expected, got });
      for (const action of actions) {
        this.#kind = action.kind;
        if (clock.now() < (this.#resting.get(action.kind) ?? 0)) throw toRest(action.kind);
        checkActions(this.#handlers, { actions: [action], hash });
        nowRuns('spends of action', action.kind);
        spends.push(...definition.spends(action));
      }
      return { bytes, signed, spends: this.#summed(spends, bytes.length) };
    } catch (problem) {
      return { bytes, signed, spends, problem };
    }
  }

  /** @param verdict Whether its signature is valid, if it has been verified. */
  #take(decoded: Decoded, verdict: boolean | undefined, done: (submitted: Submitted) => void): void {
    try {
      if ('error' in decoded) throw decoded.error;
      const hash = this.#admit(decoded, verdict, (outcome, settled) => done(getSubmitted(settled, outcome)));
      if (hash !== undefined) done({ hash });
    } catch (error) {
      // An error that other nodes may not have is for the log of this one.
      done({ error: error instanceof Unavailable || mayDiffer(error) ? (error as Error) : asRefusal(error) });
    }
  }

  /** @returns the hash, if the composer has the transaction already; else `settle` is called. */
  #admit(
    { bytes, signed: { envelope, transaction }, problem, spends }: Read,
    verdict: boolean | undefined,
    settle: (outcome: Forwarded, hash: TxHash) => void,
  ): TxHash | undefined {
    const { hash, signer, nonce } = transaction;
    const handover = { hash, signer, nonce, bytes };
    const handOver = () => this.#handovers.start(handover, (outcome) => settle(outcome, hash));
    if (this.#deps.pending.get(hash) !== undefined) {
      if (!this.isUnderWay(hash) && !this.isUnclear(hash)) return hash;
      handOver();
      return undefined;
    }
    // A client that retries after a lost answer may ask for the outcome, which nothing changes any more.
    if (nonce < this.committedNonce(signer) && this.#deps.chain.outcomes.recent(hash) !== undefined) return hash;
    this.#expectNext(transaction, problem);
    this.#expectClear(signer);
    this.#mustAfford(transaction, spends);
    const busy = this.#busy(1, bytes.length);
    if (busy !== undefined) throw busy;
    if (!(verdict ?? isStrictlySigned(envelope))) throw new Rejected('bad-signature', { transaction: hash });
    this.#reserve(transaction, spends);
    handOver();
    return undefined;
  }

  #busy(items: number, bytes: number): Unavailable | undefined {
    const { forwarder, pending, maxPending } = this.#deps;
    const full = pending.size + items > maxPending;
    const reason = full ? 'too many transactions wait for their execution' : forwarder.refusal(items, bytes);
    return reason === undefined ? undefined : new Unavailable('unavailable', `nothing was accepted: ${reason}`);
  }

  /** Everything but funds and signature, cheapest first. */
  #expectNext(tx: RollupTransaction, problem: unknown): void {
    if (problem !== undefined) throw problem;
    expectNonce(tx, this.nextNonce(tx.signer));
    expectInTime(tx, this.#nextBlock());
  }

  /** Refuses transactions behind an unclear one: they may never be executable. */
  #expectClear(signer: AccountId): void {
    const unclear = this.#handovers.firstUnclear(signer);
    if (unclear === undefined) return;
    const why = `it is not known whether the composer has ${unclear.hash}, with nonce ${unclear.nonce}`;
    throw new Unavailable('unavailable', `nothing was accepted: ${why}; send that one again first`);
  }

  /** @throws {Rejected} if the account has too little for it, after all that is pending. */
  #mustAfford(tx: RollupTransaction, spends: readonly Spend[]): void {
    for (const { asset, amount } of spends) {
      const held = this.#balance(tx.signer, asset);
      const pending = this.#deps.pending.spent(tx.signer, asset);
      // The composer pays for a transfer of nothing, too: keys without an account could be made without end.
      const needed = amount === 0n ? 1n : amount;
      if (held < pending + needed) throw new Rejected('insufficient-balance', { asset, held, pending, needed });
    }
  }

  /** One entry for each asset, with the fee. */
  #summed(spends: readonly Spend[], bytes: number): readonly Spend[] {
    const { fees } = this.#deps.definition;
    if (spends.length < 2 && fees === undefined) return spends;
    const sums = new Map<AssetId, bigint>();
    const all = fees === undefined ? spends : [...spends, feeOfBytes(fees, bytes)];
    for (const { asset, amount } of all) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
    return [...sums].map(([asset, amount]) => ({ asset, amount }));
  }

  #reserve(transaction: RollupTransaction, spends: readonly Spend[]): void {
    this.#deps.pending.add({ transaction, spends, since: this.#deps.clock.now() });
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

function toRest(kind: string): Unavailable {
  const rest = `its code has not ended, so that this node takes none for ${REST_MS / 1_000} s`;
  return new Unavailable('unavailable', `nothing was accepted: action ${kind}: ${rest}`);
}

function getSubmitted(hash: TxHash, outcome: Forwarded): Submitted {
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
