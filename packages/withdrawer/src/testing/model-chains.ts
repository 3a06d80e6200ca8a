import { createHash } from 'node:crypto';
import { rollupIdFromName } from '@switchyard/protocol';
import type { PayingAccount } from '../sequencer.ts';
import type { Level, RollupSource } from '../source.ts';
import type { Bundle, Found, Withdrawal } from '../withdrawal.ts';

interface Signed {
  readonly nonce: number;
  readonly hash: string;
  readonly payments: readonly Pick<Withdrawal, 'eventId' | 'amount' | 'to'>[];
}

const computeSum = ({ payments }: Signed) => payments.reduce((sum, { amount }) => sum + amount, 0n);

/** A sequencer with one bridge account, as the withdrawer sees it: it has the rules of the real one for payments. */
export class ModelSequencer implements PayingAccount {
  readonly address: string;
  height = 1n;
  balance = 0n;
  /** Undefined while the bridge account is not initialized. */
  bridgeAsset: string | undefined = 'nria';
  /** Id of the rollup that the bridge account is of. */
  rollup = rollupIdFromName('rollup');
  /** Whether it answers which events are paid. */
  hasQuery = true;
  /** Thrown by the next calls, one each. */
  readonly faults: Error[] = [];
  /** Event ids in the order of their payments. */
  readonly payments: { readonly eventId: string; readonly amount: bigint }[] = [];
  /** Refuses a payment to such a destination, for any reason. */
  readonly refused = new Set<string>();
  broadcasts = 0;
  #nonce = 0;
  readonly #signed = new Map<string, Signed>();
  readonly #pool = new Map<number, Signed>();
  readonly #spent = new Map<number, { readonly hash: string; readonly height: bigint }>();

  constructor(address: string) {
    this.address = address;
  }

  async bridgeAccount() {
    this.#fail();
    return this.bridgeAsset === undefined ? undefined : { asset: this.bridgeAsset, rollup: this.rollup };
  }

  async locked() {
    this.#fail();
    return { locked: this.balance, height: this.height };
  }

  async terms() {
    this.#fail();
    return { fee: 0n, isRefunded: false, locked: this.balance, most: Number.POSITIVE_INFINITY };
  }

  async isBridge(): Promise<boolean> {
    this.#fail();
    return false;
  }

  async sign(withdrawals: readonly Withdrawal[]): Promise<Bundle> {
    this.#fail();
    const nonce = this.#nonce;
    const bytes = Buffer.from(JSON.stringify([nonce, ...withdrawals.map(({ eventId }) => eventId)])).toString('hex');
    const hash = createHash('sha256').update(bytes).digest('hex');
    this.#signed.set(hash, { nonce, hash, payments: withdrawals });
    return { nonce, hash, bytes, numbers: withdrawals.map(({ number }) => number), fee: 0n };
  }

  async send({ hash }: Bundle) {
    this.#fail();
    this.broadcasts += 1;
    const signed = this.#signed.get(hash);
    if (signed === undefined) throw new Error('no such transaction was signed');
    // A transaction of this nonce is there already, or in a block.
    if (signed.nonce < this.#nonce || this.#pool.has(signed.nonce)) return undefined;
    const reason = this.#refusal(signed);
    if (reason !== undefined) return reason;
    this.#pool.set(signed.nonce, signed);
    return undefined;
  }

  async spender({ nonce, hash }: Bundle) {
    this.#fail();
    const spent = this.#spent.get(nonce);
    return spent === undefined || spent.hash === hash ? spent : ('foreign' as const);
  }

  async isPaid(eventId: string): Promise<boolean | undefined> {
    this.#fail();
    return this.hasQuery ? this.#isPaid(eventId) : undefined;
  }

  /** Makes a block of the pool's contents. */
  mine(): void {
    this.height += 1n;
    const signed = this.#pool.get(this.#nonce);
    // The pool keeps what the account cannot pay yet.
    if (signed !== undefined && computeSum(signed) > this.balance) return;
    this.#pool.clear();
    if (signed === undefined || this.#refusal(signed) !== undefined) return;
    this.#spend(signed.hash);
    for (const { eventId, amount } of signed.payments) {
      this.payments.push({ eventId, amount });
      this.balance -= amount;
    }
  }

  /** The node forgets what it held. */
  lose(): void {
    this.#pool.clear();
  }

  /** Another transaction of this account is in a block, in place of a held one. */
  spendNonce(): void {
    this.#pool.clear();
    this.height += 1n;
    this.#spend('another');
  }

  /** Another program pays an event. */
  payElsewhere({ eventId, amount }: Pick<Withdrawal, 'eventId' | 'amount'>): void {
    if (this.#isPaid(eventId) || amount > this.balance) return;
    this.payments.push({ eventId, amount });
    this.balance -= amount;
  }

  #spend(hash: string): void {
    this.#spent.set(this.#nonce, { hash, height: this.height });
    this.#nonce += 1;
  }

  #isPaid(eventId: string): boolean {
    return this.payments.some((payment) => payment.eventId === eventId);
  }

  #refusal({ payments }: Signed): string | undefined {
    const again = payments.find(({ eventId }) => this.#isPaid(eventId));
    if (again !== undefined) return `withdrawal event ${again.eventId} was already executed`;
    return payments.some(({ to }) => this.refused.has(to)) ? 'the destination is refused' : undefined;
  }

  #fail(): void {
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
  }
}

/** A rollup whose withdrawals a test makes. A position is the number of the next one. */
export class ModelRollup implements RollupSource {
  name = 'rollup';
  deposited = 0n;
  readonly withdrawals: Found[] = [];
  readonly faults: Error[] = [];
  /** Withdrawals of one reading. */
  page: number;
  readonly #sequencer: { readonly height: bigint; balance: bigint };

  /** @param sequencer Chain that has its deposits. */
  constructor(sequencer: { readonly height: bigint; balance: bigint }, page = 3) {
    this.#sequencer = sequencer;
    this.page = page;
  }

  deposit(amount: bigint): void {
    this.#sequencer.balance += amount;
    this.deposited += amount;
  }

  withdraw(to: string, amount: bigint, more: Partial<Found> = {}): Found {
    const block = BigInt(this.withdrawals.length + 1);
    const withdrawal = { eventId: `e${block}`, block, sender: 'alice', to, amount, memo: '', ...more };
    this.withdrawals.push(withdrawal);
    return withdrawal;
  }

  async check() {
    this.#fail();
    const names = { rollup: this.name, rollupId: rollupIdFromName('rollup'), asset: 'nria' };
    return { ...names, sequencerChainId: 'chain-0' };
  }

  async read(position: bigint, _level: Level) {
    this.#fail();
    const found = this.withdrawals.slice(Number(position), Number(position) + this.page);
    const next = position + BigInt(found.length);
    return { found, position: next, isLast: next === BigInt(this.withdrawals.length) };
  }

  async credited() {
    this.#fail();
    return this.deposited;
  }

  async sums() {
    this.#fail();
    const withdrawn = this.withdrawals.reduce((sum, { amount }) => sum + amount, 0n);
    return { sequencerHeight: this.#sequencer.height, deposited: this.deposited, uncredited: 0n, withdrawn };
  }

  #fail(): void {
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
  }
}
