import {
  backoffMs,
  type Clock,
  isAbort,
  JsonRpcError,
  type Logger,
  Notifier,
  sleep,
  type WallClock,
} from '@switchyard/service';
import { BelievedNonce } from './believed-nonce.ts';
import { checkChain } from './chain-check.ts';
import { type Claim, lastPayment, type OpenClaim, type QueuedClaim, requestOf, type SignedClaim } from './claim.ts';
import type { Ledger } from './ledger.ts';
import { type Funds, type Payer, type SignedPayment, Unpayable, Unusable } from './payer.ts';
import { reasonLine } from './reason.ts';
import { sleepUntil } from './sleep-until.ts';

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
/** A node may lose what it held; the same bytes again do no harm. */
const RESEND_MS = 3_000;
/** Unsuccessful lookups of a spent nonce before another transaction is assumed to have used it. */
const CERTAIN_LOOKS = 3;
/** Payments signed for one nonce at most. */
const MAX_SIGNED = 20;
/** A recipient's code may make the estimate fail; other claims must not wait for it. */
const SIGNING = { tries: 24, initialMs: 500, maxMs: 30_000 };
/** A balance this recent is not asked for again. */
const FRESH_MS = 1_000;
const BACKOFF = { initialMs: 250, maxMs: 5_000 };

/**
 * Pays the claims, each exactly once, whichever process is killed in between: a signed payment is on disk before it is
 * sent, all that is ever signed for a claim has one nonce, and another nonce is taken for it only when that one is spent
 * by something else. Nonces are taken in order from the account's own, and none is given up, so there is never a gap.
 */
export class PayoutWorker {
  readonly #deps: PayoutWorkerDeps;
  readonly #woken = new Notifier();
  #isWoken = false;
  #funds: Funds | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<Funds> | undefined;
  #trouble: { readonly kind: 'absent' | 'unusable'; readonly reason: string } | undefined;
  /** State of each payment: when it was sent last, whether a node has taken it, how often it was looked for in vain. */
  readonly #sentAt = new Map<number, number>();
  readonly #held = new Set<string>();
  readonly #looks = new Map<number, number>();
  /** State of claims that could not be signed for: how often that was tried, and when it may be tried again. */
  readonly #tries = new Map<number, { readonly count: number; readonly again: number }>();
  /** Why a claim is not sent yet. */
  readonly #notes = new Map<number, string>();
  readonly #nonce: BelievedNonce;

  constructor(deps: PayoutWorkerDeps) {
    this.#deps = deps;
    this.#nonce = new BelievedNonce(deps.clock);
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
    return claim.kind === 'signed' && claim.payments.some(({ hash }) => this.#held.has(hash));
  }

  noteOf({ id }: Claim): string | undefined {
    return this.#notes.get(id);
  }

  /** Remainder when all accepted claims are paid; undefined while the balance is not known. */
  get spare(): bigint | undefined {
    if (this.#funds === undefined) return undefined;
    const { balance, fee, nonce } = this.#funds;
    return this.#deps.ledger.unfinished().reduce((left, claim) => {
      if (claim.kind === 'queued') return left - claim.amount - fee;
      const last = lastPayment(claim);
      return last.nonce < nonce ? left : left - last.cost;
    }, balance);
  }

  /** Starts a pass without waiting for the next one. */
  wake(): void {
    this.#isWoken = true;
    this.#woken.notify();
  }

  /** Looks at the account, unless that was done just now. Never rejects: `trouble` holds the reason. */
  async refresh(): Promise<void> {
    if (this.#deps.clock.now() - this.#seenAt < FRESH_MS) return;
    await this.#look().catch(() => undefined);
  }

  /** Pays until the signal aborts. */
  async run(): Promise<void> {
    const { log, random, signal, clock } = this.#deps;
    for (let failures = 0; !signal.aborted; ) {
      this.#isWoken = false;
      try {
        await this.pass();
        failures = 0;
      } catch (error) {
        if (isAbort(error, signal)) return;
        failures += 1;
        if (failures === 1) log.warn({ reason: reasonLine(error) }, 'cannot pay, retrying');
      }
      const pause = this.#deps.ledger.unfinishedCount > 0 ? BUSY_MS : IDLE_MS;
      // New claims do not make us ask a failing node more often.
      if (failures > 0) await sleep(backoffMs(failures, BACKOFF, random), signal, clock).catch(() => undefined);
      else if (!this.#isWoken) await sleepUntil(this.#woken, pause, signal, clock);
    }
  }

  /** Takes every claim one step further, as far as it can go now. @throws where the node does not answer. */
  async pass(): Promise<void> {
    const funds = await this.#look();
    const { ledger } = this.#deps;
    for (const claim of ledger.unfinished()) {
      if (claim.kind === 'queued') continue;
      if (lastPayment(claim).nonce < funds.nonce) await this.#settle(claim);
      else await this.#send(claim);
    }
    for (const claim of ledger.unfinished()) {
      if (claim.kind === 'signed' || this.#isPutOff(claim)) continue;
      if (this.#inFlight().length >= MAX_IN_FLIGHT) return;
      if (!this.#affords(claim, funds)) return;
      await this.#pay(claim, funds);
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
      const funds = { ...reported, nonce: this.#nonce.check(reported.nonce, this.#explainedNonce()) };
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

  /** After the last one that was signed for, or that paid a claim. */
  #explainedNonce(): bigint {
    const signed = this.#inFlight().map((claim) => lastPayment(claim).nonce + 1n);
    const paid = (this.#deps.ledger.lastNonce ?? -1n) + 1n;
    return signed.reduce((highest, each) => (each > highest ? each : highest), paid);
  }

  #inFlight(): SignedClaim[] {
    return this.#deps.ledger.unfinished().filter((claim) => claim.kind === 'signed');
  }

  #affords({ id, amount }: QueuedClaim, { balance, fee, nonce }: Funds): boolean {
    const reserved = this.#inFlight().reduce((sum, claim) => {
      const last = lastPayment(claim);
      return last.nonce < nonce ? sum : sum + last.cost;
    }, 0n);
    const enough = balance - reserved >= amount + fee;
    if (!enough) this.#notes.set(id, 'the faucet is empty; the claim is paid once it is refilled');
    return enough;
  }

  /** Signs for a claim, puts that on disk, sends it. */
  async #pay(claim: QueuedClaim, funds: Funds): Promise<void> {
    const taken = this.#inFlight().map((each) => lastPayment(each).nonce + 1n);
    const nonce = taken.reduce((highest, each) => (each > highest ? each : highest), funds.nonce);
    const payment = await this.#sign(claim, nonce);
    if (payment === undefined) return;
    const signed: SignedClaim = { ...claim, kind: 'signed', payments: [payment] };
    await this.#deps.ledger.update(signed);
    await this.#send(signed);
  }

  /** @returns undefined where that has to wait, or where the claim has failed for good, which only an unsigned one can. */
  async #sign(claim: OpenClaim, nonce: bigint): Promise<SignedPayment | undefined> {
    const { payer, clock, signal, random } = this.#deps;
    try {
      const payment = await payer.sign({ to: claim.address, amount: claim.amount, nonce }, signal);
      this.#tries.delete(claim.id);
      return payment;
    } catch (error) {
      if (isAbort(error, signal)) throw error;
      const count = (this.#tries.get(claim.id)?.count ?? 0) + 1;
      this.#tries.set(claim.id, { count, again: clock.now() + backoffMs(count, SIGNING, random) });
      const reason = error instanceof Unpayable || error instanceof JsonRpcError ? error.message : 'it does not answer';
      this.#note(claim, `the node cannot estimate the payment: ${reason}`);
      const isFinal = error instanceof Unpayable || count >= SIGNING.tries;
      if (isFinal && claim.kind === 'queued') await this.#fail(claim, reason);
      return undefined;
    }
  }

  #isPutOff({ id }: Claim): boolean {
    return (this.#tries.get(id)?.again ?? 0) > this.#deps.clock.now();
  }

  async #fail(claim: QueuedClaim, reason: string): Promise<void> {
    const { ledger, log, wall } = this.#deps;
    log.info({ claim: claim.id, reason }, 'claim failed');
    await ledger.update({ ...claim, kind: 'failed', reason, endedAt: wall.unixMs() });
    this.#forget(claim);
  }

  async #send(claim: SignedClaim): Promise<void> {
    const { payer, clock, ledger, log, signal } = this.#deps;
    const last = lastPayment(claim);
    const due = (this.#sentAt.get(claim.id) ?? Number.NEGATIVE_INFINITY) + RESEND_MS;
    if (clock.now() < due) return;
    const sent = await payer.send(last, signal);
    this.#sentAt.set(claim.id, clock.now());
    switch (sent.kind) {
      case 'held':
        if (!this.#held.has(last.hash)) log.info({ claim: claim.id, hash: last.hash }, 'payment sent');
        this.#held.add(last.hash);
        this.#notes.delete(claim.id);
        ledger.touch();
        return;
      case 'later':
        this.#note(claim, sent.reason);
        return;
      case 'sign-again': {
        this.#note(claim, sent.reason);
        if (claim.payments.length >= MAX_SIGNED || this.#isPutOff(claim)) return;
        const payment = await this.#sign(claim, last.nonce);
        // Equal bytes would be refused again: wait until the chain has moved on.
        if (payment === undefined || payment.hash === last.hash) return;
        await ledger.update({ ...claim, payments: [...claim.payments, payment] });
        this.#sentAt.delete(claim.id);
        return;
      }
    }
  }

  /** The nonce of a claim's payments is spent: by one of them, or by something else. */
  async #settle(claim: SignedClaim): Promise<void> {
    const { payer, ledger, wall, log, signal } = this.#deps;
    const { id, payments } = claim;
    const { nonce } = payments[0];
    const outcome = await payer.outcome(payments, signal);
    switch (outcome.kind) {
      case 'paid': {
        const { hash, block } = outcome;
        await ledger.update({ ...requestOf(claim), kind: 'paid', hash, block, nonce, endedAt: wall.unixMs() });
        log.info({ claim: id, hash, block }, 'claim paid');
        break;
      }
      case 'failed': {
        const { hash, reason } = outcome;
        await ledger.update({ ...requestOf(claim), kind: 'failed', reason, hash, endedAt: wall.unixMs() });
        log.warn({ claim: id, hash, reason }, 'payment failed in its block');
        break;
      }
      case 'unknown': {
        const looks = (this.#looks.get(id) ?? 0) + 1;
        this.#looks.set(id, looks);
        if (looks < CERTAIN_LOOKS) return;
        await this.#again(claim);
        break;
      }
      case 'replaced':
        await this.#again(claim);
        break;
    }
    this.#forget(claim);
  }

  async #again(claim: SignedClaim): Promise<void> {
    this.#deps.log.warn({ claim: claim.id }, 'another transaction used the nonce of a payment, signing again');
    await this.#deps.ledger.update({ ...requestOf(claim), kind: 'queued' });
  }

  #note(claim: Claim, reason: string): void {
    if (this.#notes.get(claim.id) !== reason) {
      this.#deps.log.info({ claim: claim.id, reason }, 'payment not accepted yet');
    }
    this.#notes.set(claim.id, reason);
  }

  #forget(claim: OpenClaim): void {
    const { id } = claim;
    this.#sentAt.delete(id);
    this.#looks.delete(id);
    this.#tries.delete(id);
    this.#notes.delete(id);
    if (claim.kind === 'signed') for (const { hash } of claim.payments) this.#held.delete(hash);
  }
}
