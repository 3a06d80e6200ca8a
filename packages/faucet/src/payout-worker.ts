import { Outbox } from '@switchyard/client';
import {
  Alarm,
  backoffMs,
  type Clock,
  isAbort,
  JsonRpcError,
  type Logger,
  retry,
  type WallClock,
} from '@switchyard/service';
import { checkChain, NonceInDoubt } from './chain-check.ts';
import { type Claim, lastPayment, type OpenClaim, type QueuedClaim, type SignedClaim, toRequest } from './claim.ts';
import type { Ledger } from './ledger.ts';
import { type Funds, type Payer, type SignedPayment, Unpayable, Unusable } from './payer.ts';
import { reasonLine } from './reason.ts';

export interface PayoutWorkerDeps {
  readonly payer: Payer;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly log: Logger;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** The node's chain must have this id; any, if undefined. */
  readonly chainId?: string | undefined;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** Payments in flight at a time. Their nonces are consecutive. */
const MAX_IN_FLIGHT = 8;
const BUSY_MS = 250;
const IDLE_MS = 10_000;
/** A node may lose its transactions; the same bytes again do no harm. */
const OFFER_AGAIN = { takenMs: 3_000, notTakenMs: 3_000 };
/** Unsuccessful lookups of a spent nonce before another transaction is assumed to have used it. */
const CERTAIN_LOOKS = 3;
/** Payments signed for one nonce at most. */
const MAX_SIGNED = 20;
/** A recipient's code may make the estimate fail; other claims must not wait for it. */
const SIGNING = { tries: 24, initialMs: 500, maxMs: 30_000 };
/** A balance this recent is not queried again. */
const FRESH_MS = 1_000;
const BACKOFF = { initialMs: 250, maxMs: 5_000 };

/** Facts about an open claim that this run has found out. None of them is on disk. */
interface Standing {
  /** Hash of its payment that a node has taken last. */
  readonly held?: string | undefined;
  /** Failed attempts in a row to sign for it, and when the next one may be made. */
  readonly tries: number;
  readonly signAt: number;
  /** How often its payments were looked for in vain. */
  readonly looks: number;
  /** Why it is not sent yet. */
  readonly note?: string | undefined;
}

const NEW: Standing = { tries: 0, signAt: 0, looks: 0 };

/**
 * Pays the claims, each exactly once, whichever process is killed in between: a signed payment is on disk before it is
 * sent, all that is ever signed for a claim has one nonce, and another nonce is taken for it only when that one is spent
 * by something else. Nonces are taken in order from the account's own, and none is given up, so there is never a gap.
 */
export class PayoutWorker {
  readonly #deps: PayoutWorkerDeps;
  readonly #alarm: Alarm;
  readonly #outbox: Outbox<SignedClaim>;
  /** Each under the id of its claim. */
  readonly #standings = new Map<number, Standing>();
  #funds: Funds | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<Funds> | undefined;
  #trouble: { readonly kind: 'absent' | 'unusable'; readonly reason: string } | undefined;

  constructor(deps: PayoutWorkerDeps) {
    this.#deps = deps;
    this.#alarm = new Alarm(deps.clock);
    this.#outbox = new Outbox({ ...OFFER_AGAIN, clock: deps.clock });
    for (const claim of deps.ledger.unfinished()) if (claim.kind === 'signed') this.#outbox.put(claim);
    // A nonce that paid a claim is known to be spent.
    if (deps.ledger.lastNonce !== undefined) this.#outbox.used(deps.ledger.lastNonce);
  }

  /** Funds when last seen; undefined before the node has answered for the first time. */
  get funds(): Funds | undefined {
    return this.#funds;
  }

  /** Why no claim can be paid now. */
  get trouble(): { readonly kind: 'absent' | 'unusable'; readonly reason: string } | undefined {
    return this.#trouble;
  }

  /** Whether a node has taken a payment of the claim. */
  isHeld(claim: Claim): boolean {
    return this.#standing(claim).held !== undefined;
  }

  findNote(claim: Claim): string | undefined {
    return this.#standing(claim).note;
  }

  /** Remainder when all accepted claims are paid; undefined while the balance is not known. */
  get spare(): bigint | undefined {
    return this.#funds && remainder(this.#funds, this.#deps.ledger.unfinished());
  }

  /** Starts a pass without waiting for the next one. */
  wake(): void {
    this.#alarm.ring();
  }

  /** Looks at the account, unless that was done just now. Never rejects: `trouble` holds the reason. */
  async refresh(): Promise<void> {
    if (this.#deps.clock.now() - this.#seenAt < FRESH_MS) return;
    await this.#look().catch(() => undefined);
  }

  /** Pays until the signal aborts. */
  async run(): Promise<void> {
    const { ledger, log, random, signal, clock } = this.#deps;
    const onRetry = (error: unknown, attempt: number): void => {
      if (attempt === 1) log.warn({ reason: reasonLine(error) }, 'cannot pay, retrying');
    };
    try {
      for (;;) {
        // New claims do not make us ask a failing node more often.
        await retry(() => this.pass(), { ...BACKOFF, signal, clock, random, onRetry });
        await this.#alarm.wait(ledger.unfinishedCount > 0 ? BUSY_MS : IDLE_MS, signal);
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
  }

  /** Takes every claim one step further, as far as it can go now. @throws if the node does not answer. */
  async pass(): Promise<void> {
    const funds = await this.#look();
    const { ledger } = this.#deps;
    for (const claim of this.#outbox.entries) if (claim.nonce < funds.nonce) await this.#settle(claim);
    await this.#offer();
    for (const claim of ledger.unfinished()) {
      if (claim.kind === 'signed' || this.#isPutOff(claim)) continue;
      if (!this.#outbox.isClear || this.#outbox.entries.length >= MAX_IN_FLIGHT) return;
      if (remainder(funds, this.#outbox.entries) < claim.amount + funds.fee) {
        this.#set(claim, { note: 'the faucet is empty; the claim is paid once it is refilled' });
        return;
      }
      await this.#pay(claim);
      // The node has just failed or been slow; the other claims follow in the next pass.
      if (this.#isPutOff(claim)) return;
    }
  }

  #look(): Promise<Funds> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #ask(): Promise<Funds> {
    const { payer, ledger, clock, log, signal, chainId } = this.#deps;
    try {
      const reported = await payer.funds(signal);
      checkChain(ledger, reported, chainId);
      if (ledger.chain === undefined) await ledger.bindTo(reported.chain);
      this.#outbox.report(reported.nonce);
      if (this.#outbox.isNonceInDoubt) {
        const own = `ours are known up to ${this.#outbox.explainedNonce}`;
        throw new NonceInDoubt(`the node reports nonce ${reported.nonce}, and ${own}; asking again`);
      }
      const funds = { ...reported, nonce: this.#outbox.accountNonce };
      if (this.#trouble !== undefined) log.info({ account: payer.account }, 'connected to the node, paying claims');
      this.#funds = funds;
      this.#seenAt = clock.now();
      this.#trouble = undefined;
      return funds;
    } catch (error) {
      if (!isAbort(error, signal)) {
        const kind = error instanceof Unusable ? 'unusable' : 'absent';
        this.#trouble = { kind, reason: reasonLine(error) };
      }
      throw error;
    }
  }

  /** Signs for a claim, puts that on disk, sends it. */
  async #pay(claim: QueuedClaim): Promise<void> {
    const { freeNonce: nonce } = this.#outbox;
    const payment = await this.#sign(claim, nonce);
    if (payment === undefined) return;
    await this.#keep({ ...claim, kind: 'signed', nonce, payments: [payment] });
    await this.#offer();
  }

  async #keep(claim: SignedClaim): Promise<void> {
    await this.#deps.ledger.update(claim);
    this.#outbox.put(claim);
  }

  /** @returns undefined if that has to wait, or if the claim has failed for good, which only an unsigned one can. */
  async #sign(claim: OpenClaim, nonce: number): Promise<SignedPayment | undefined> {
    const { payer, clock, signal, random } = this.#deps;
    try {
      const payment = await payer.sign({ to: claim.address, amount: claim.amount, nonce }, signal);
      this.#set(claim, { tries: 0, signAt: 0 });
      return payment;
    } catch (error) {
      if (isAbort(error, signal)) throw error;
      const tries = this.#standing(claim).tries + 1;
      this.#set(claim, { tries, signAt: clock.now() + backoffMs(tries, SIGNING, random) });
      const reason = error instanceof Unpayable || error instanceof JsonRpcError ? error.message : 'it does not answer';
      this.#note(claim, `the node cannot estimate the payment: ${reason}`);
      const isFinal = error instanceof Unpayable || tries >= SIGNING.tries;
      if (isFinal && claim.kind === 'queued') await this.#fail(claim, reason);
      return undefined;
    }
  }

  #isPutOff(claim: Claim): boolean {
    return this.#standing(claim).signAt > this.#deps.clock.now();
  }

  async #fail(claim: QueuedClaim, reason: string): Promise<void> {
    const { ledger, log, wall } = this.#deps;
    log.info({ claim: claim.id, reason }, 'claim failed');
    await ledger.update({ ...claim, kind: 'failed', reason, endedAt: wall.unixMs() });
    this.#standings.delete(claim.id);
  }

  async #offer(): Promise<void> {
    const { payer, signal } = this.#deps;
    for (let next = this.#outbox.nextOffer(); next !== undefined; next = this.#outbox.nextOffer()) {
      const sent = await payer.send(lastPayment(next), signal);
      this.#outbox.answered(next, sent.kind === 'held' ? 'taken' : 'later');
      if (sent.kind === 'held') this.#noteHeld(next);
      else this.#note(next, sent.reason);
      // A payment that is signed again is sent in the next pass, so that the chain can move on before a further signature.
      if (sent.kind === 'expired' || sent.kind === 'sign-again') return this.#signAgain(next, sent.kind);
    }
  }

  #noteHeld(claim: SignedClaim): void {
    const { ledger, log } = this.#deps;
    const { hash } = lastPayment(claim);
    if (this.#standing(claim).held !== hash) log.info({ claim: claim.id, hash }, 'payment sent');
    this.#set(claim, { held: hash, note: undefined });
    ledger.touch();
  }

  async #signAgain(claim: SignedClaim, reason: 'expired' | 'sign-again'): Promise<void> {
    const isFull = claim.payments.length >= MAX_SIGNED && reason === 'sign-again';
    if (isFull || this.#isPutOff(claim)) return;
    const payment = await this.#sign(claim, claim.nonce);
    // Equal bytes would be refused again: wait until the chain has moved on.
    if (payment === undefined || payment.hash === lastPayment(claim).hash) return;
    // The nonce was unused long behind the last block of the omitted payments, so no block has it.
    const [oldest = payment, ...newer] = claim.payments.slice(1 - MAX_SIGNED);
    await this.#keep({ ...claim, payments: [oldest, ...newer, payment] });
  }

  /** The nonce of a claim's payments is spent: by one of them, or by something else. */
  async #settle(claim: SignedClaim): Promise<void> {
    const { payer, ledger, wall, log, signal } = this.#deps;
    const { id, nonce, payments } = claim;
    const outcome = await payer.outcome(payments, nonce, signal);
    switch (outcome.kind) {
      case 'paid': {
        const { hash, block } = outcome;
        await ledger.update({ ...toRequest(claim), kind: 'paid', hash, block, nonce, endedAt: wall.unixMs() });
        this.#outbox.used(nonce);
        log.info({ claim: id, hash, block }, 'claim paid');
        break;
      }
      case 'failed': {
        const { hash, reason } = outcome;
        await ledger.update({ ...toRequest(claim), kind: 'failed', reason, hash, endedAt: wall.unixMs() });
        log.warn({ claim: id, hash, reason }, 'payment failed in its block');
        break;
      }
      case 'unknown': {
        const looks = this.#standing(claim).looks + 1;
        this.#set(claim, { looks });
        if (looks < CERTAIN_LOOKS) return;
        await this.#again(claim);
        break;
      }
      case 'undecided':
        this.#note(claim, 'the node does not show yet which transaction used its nonce');
        return;
      case 'replaced':
        await this.#again(claim);
        break;
    }
    this.#outbox.remove([claim]);
    this.#standings.delete(id);
  }

  async #again(claim: SignedClaim): Promise<void> {
    this.#deps.log.warn({ claim: claim.id }, 'another transaction used the nonce of a payment, signing again');
    await this.#deps.ledger.update({ ...toRequest(claim), kind: 'queued' });
  }

  #note(claim: Claim, note: string): void {
    if (this.#standing(claim).note !== note) {
      this.#deps.log.info({ claim: claim.id, reason: note }, 'payment not accepted yet');
    }
    this.#set(claim, { note });
  }

  #standing({ id }: Claim): Standing {
    return this.#standings.get(id) ?? NEW;
  }

  #set(claim: Claim, change: Partial<Standing>): void {
    this.#standings.set(claim.id, { ...this.#standing(claim), ...change });
  }
}

/** Remainder of the balance when these claims are paid: a queued one costs its amount and the usual fee. */
function remainder({ balance, fee, nonce }: Funds, claims: readonly OpenClaim[]): bigint {
  return claims.reduce((left, claim) => {
    if (claim.kind === 'queued') return left - claim.amount - fee;
    return claim.nonce < nonce ? left : left - lastPayment(claim).cost;
  }, balance);
}
