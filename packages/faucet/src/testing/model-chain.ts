import { Rejected } from '@switchyard/protocol';
import { JsonRpcError } from '@switchyard/service';
import { type Payer, type SignedPayment, Unpayable } from '../payer.ts';

interface Held {
  readonly nonce: number;
  readonly to: string;
  readonly amount: bigint;
  readonly price: bigint;
}

/** A chain with one account of interest: executes in order of nonces, one transaction for each, and forgets on demand. */
export class ModelChain {
  nonce = 0;
  /** Reports a nonce that is far too high. */
  isLying = false;
  balance = 1_000_000n;
  /** Price that a payment must offer to get into the pool, and into a block. */
  price = 1n;
  block = 0n;
  chain = 'model';
  /** Accounts whose code refuses payments, at once or in the block. */
  refusing = new Set<string>();
  failing = new Set<string>();
  /** Accounts whose code keeps the node from answering. */
  puzzling = new Set<string>();
  isAway = false;
  /** Called before and after each call takes effect; may throw. */
  onCall: (when: 'before' | 'after') => void = () => undefined;
  readonly pool = new Map<string, Held>();
  readonly executed = new Map<string, Held & { readonly block: bigint; readonly succeeded: boolean }>();

  /** One block: everything in the pool whose turn has come. */
  mine(): void {
    this.block += 1n;
    for (;;) {
      const next = [...this.pool].find(([, { nonce, price }]) => nonce === this.nonce && price >= this.price);
      if (next === undefined) break;
      const [hash, held] = next;
      const succeeded = !this.failing.has(held.to);
      this.executed.set(hash, { ...held, block: this.block, succeeded });
      this.balance -= (succeeded ? held.amount : 0n) + held.price;
      this.nonce += 1;
    }
    // A rollup takes or refuses sequenced transactions, so too low an offer does not stay.
    for (const [hash, { nonce, price }] of this.pool) {
      if (nonce < this.nonce || price < this.price) this.pool.delete(hash);
    }
  }

  /** Another client uses the account's next nonce. */
  spendNonce(): void {
    this.nonce += 1;
    this.mine();
  }

  paidTo(to: string): bigint[] {
    return [...this.executed.values()].filter((each) => each.to === to && each.succeeded).map(({ amount }) => amount);
  }

  payer(): Payer {
    return {
      account: 'faucet',
      close: () => undefined,
      recipient: (text) => {
        if (!/^[a-z]+\d*$/.test(text)) throw new Rejected('malformed', { address: text, expected: 'letters' });
        return text;
      },
      funds: () =>
        this.#call(() => {
          const { chain, balance, price } = this;
          const nonce = this.isLying ? this.nonce + 9_000_000 : this.nonce;
          return { chain, chainId: chain, nonce, balance, fee: price };
        }),
      sign: ({ to, amount, nonce }) =>
        this.#call(() => {
          if (this.refusing.has(to)) throw new Unpayable('its code refuses the payment');
          if (this.puzzling.has(to)) throw new JsonRpcError(-32_000, 'execution timeout');
          const { price } = this;
          const hash = `${nonce} ${to} ${amount} ${price}`;
          return { hash, bytes: hash, cost: amount + price };
        }),
      send: ({ bytes }) => this.#call(() => this.#take(bytes)),
      outcome: (payments) =>
        this.#call(() => {
          const found = payments.flatMap(({ hash }) => {
            const executed = this.executed.get(hash);
            return executed === undefined ? [] : [{ hash, ...executed }];
          })[0];
          if (found === undefined) return { kind: 'unknown' as const };
          const { hash, block, succeeded } = found;
          if (succeeded) return { kind: 'paid' as const, hash, block };
          return { kind: 'failed' as const, hash, reason: 'its code refused the payment' };
        }),
    };
  }

  #take(bytes: string): Awaited<ReturnType<Payer['send']>> {
    const [nonce = '', to = '', amount = '', price = ''] = bytes.split(' ');
    const held = { nonce: Number(nonce), to, amount: BigInt(amount), price: BigInt(price) };
    if (this.pool.has(bytes)) return { kind: 'held' };
    if (held.nonce < this.nonce) return { kind: 'later', reason: 'nonce too low' };
    if (held.price < this.price) return { kind: 'sign-again', reason: 'fee too low' };
    if ([...this.pool.values()].some((other) => other.nonce === held.nonce)) {
      return { kind: 'later', reason: 'another one is on its way' };
    }
    this.pool.set(bytes, held);
    return { kind: 'held' };
  }

  async #call<T>(effect: () => T): Promise<T> {
    if (this.isAway) throw new Error('connect ECONNREFUSED');
    this.onCall('before');
    const answer = effect();
    this.onCall('after');
    return answer;
  }
}

/** Such as a claim has after it is signed. */
export const signedPayment = (part: Partial<SignedPayment> = {}): SignedPayment => ({
  hash: 'aa',
  bytes: 'bb',
  cost: 11n,
  ...part,
});
