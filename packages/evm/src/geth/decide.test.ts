import type { Address } from '@switchyard/evm-machine/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candidate } from '../embedded/entries.ts';
import { leastGas, statefulRefusal } from '../rules/rules.ts';
import { effectivePrice } from '../transactions/price.ts';
import type { Refusal } from '../transactions/refusals.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { decide, type Prober, type SenderAccount } from './decide.ts';

/*
 * A model of execution instead of an EVM: the effect of a transaction is drawn at random, and only the model
 * knows it. The decision must be that of trying one after the other.
 */

const BASE_FEE = 10n;
const GAS_LIMIT = 220_000n;
const PEOPLE = 5;
const CONTRACT = 9;
const NOWHERE = 8;
/** Sends transactions too. */
const FEES = 2;

/** Accounts that run another's code: the contract can have them send, and create, which takes a nonce. */
const isDelegated = (index: number) => index === 3 || index === 4;

const address = (index: number): Address => `0x${index.toString(16).padStart(40, '0')}`;

/** A transaction and its effects if it has gas to run with: gas beyond the intrinsic, and whom the contract pays. */
interface Drawn {
  readonly from: number;
  readonly to: number;
  readonly nonceSlip: 0 | 1;
  readonly nonceBack: boolean;
  readonly gas: bigint;
  readonly ran: number;
  readonly pays: number;
  readonly paid: bigint;
  readonly cap: bigint;
  readonly value: bigint;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  from: fc.nat(PEOPLE - 1),
  to: fc.constantFrom(0, 1, 2, CONTRACT, CONTRACT, NOWHERE),
  nonceSlip: fc.constantFrom(0, 0, 0, 0, 1),
  nonceBack: fc.constantFrom(false, false, false, false, true),
  gas: fc.constantFrom(21_000n, 21_000n, 60_000n, 150_000n),
  ran: fc.nat(100),
  pays: fc.nat(PEOPLE - 1),
  paid: fc.constantFrom(0n, 1_000_000n, 3_000_000n),
  cap: fc.constantFrom(BASE_FEE, BASE_FEE + 5n, BASE_FEE - 1n),
  value: fc.constantFrom(0n, 1n, 500_000n, 2_000_000n),
});

interface Account {
  readonly nonce: bigint;
  readonly balance: bigint;
}

class Model {
  readonly accounts = new Map<Address, Account>();
  gasUsed = 0n;
  readonly #drawn: ReadonlyMap<string, Drawn>;

  constructor(start: readonly bigint[], drawnByHash: ReadonlyMap<string, Drawn>) {
    start.forEach((balance, index) => void this.accounts.set(address(index), { nonce: 0n, balance }));
    this.#drawn = drawnByHash;
  }

  account(item: Address): Account {
    return this.accounts.get(item) ?? { nonce: 0n, balance: 0n };
  }

  refusal({ tx, from }: Candidate): Refusal | undefined {
    const sender = { ...this.account(from), hasCode: false };
    return statefulRefusal(tx, sender, { baseFee: BASE_FEE, gasLeft: GAS_LIMIT - this.gasUsed });
  }

  apply({ tx, from }: Candidate): void {
    const what = this.#drawn.get(tx.hash);
    if (what === undefined || tx.to === undefined) throw new Error('unknown transaction');
    const isContract = what.to === CONTRACT;
    const free = tx.gasLimit - leastGas(tx, 'osaka', from).intrinsic;
    const ran = isContract ? (free * BigInt(what.ran)) / 100n : 0n;
    const gasUsed = leastGas(tx, 'osaka', from).intrinsic + ran;
    const price = effectivePrice(tx, BASE_FEE);
    // Without gas a contract fails and keeps nothing.
    const moved = isContract && free === 0n ? 0n : tx.value;
    const sender = this.account(from);
    this.accounts.set(from, { nonce: sender.nonce + 1n, balance: sender.balance - gasUsed * price - moved });
    this.#credit(tx.to, moved);
    this.#credit(address(FEES), gasUsed * (price - BASE_FEE));
    if (isContract && free > 0n) this.#credit(address(what.pays), what.paid);
    if (isContract && free > 0n && isDelegated(what.pays)) this.#create(address(what.pays), what.paid * 2n);
    this.gasUsed += gasUsed;
  }

  #create(by: Address, wei: bigint): void {
    const { nonce, balance } = this.account(by);
    this.accounts.set(by, { nonce: nonce + 1n, balance: balance > wei ? balance - wei : 0n });
  }

  #credit(to: Address, wei: bigint): void {
    const account = this.account(to);
    this.accounts.set(to, { ...account, balance: account.balance + wei });
  }
}

function makeCandidates(all: readonly Drawn[]): { candidates: Candidate[]; byHash: Map<string, Drawn> } {
  const byHash = new Map<string, Drawn>();
  const nonces = new Map<number, bigint>();
  const candidates = all.map((each, entry) => {
    const nonce = nonces.get(each.from) ?? 0n;
    nonces.set(each.from, nonce + 1n);
    const hash = `0x${entry}` as const;
    byHash.set(hash, each);
    const tx: Transaction = {
      type: 2,
      hash,
      raw: new Uint8Array(),
      chainId: 1n,
      nonce: each.nonceBack && nonce > 0n ? nonce - 1n : nonce + BigInt(each.nonceSlip),
      gasLimit: each.gas,
      maxFeePerGas: each.cap,
      maxPriorityFeePerGas: 3n < each.cap ? 3n : each.cap,
      to: address(each.to),
      value: each.value,
      data: new Uint8Array(),
      accessList: [],
      signature: { r: new Uint8Array(32), s: new Uint8Array(32), yParity: 0, digest: new Uint8Array(32) },
    };
    return { entry, tx, from: address(each.from) };
  });
  return { candidates, byHash };
}

/** Executes in the model, from the beginning or from the old position, as the two ways of finding out do. */
function makeProber(start: readonly bigint[], byHash: ReadonlyMap<string, Drawn>, maxBuilds: number) {
  const wanted = { builds: 0, settled: 0 };
  const after = (included: readonly Candidate[]): Model => {
    const model = new Model(start, byHash);
    for (const candidate of included) {
      expect(model.refusal(candidate), 'only what applies is executed').toBeUndefined();
      model.apply(candidate);
    }
    return model;
  };
  const prober: Prober = {
    async gasUsed(included) {
      if (wanted.builds >= maxBuilds) return undefined;
      wanted.builds += 1;
      return after(included).gasUsed;
    },
    async settle(included) {
      wanted.settled += 1;
      const { gasUsed, accounts } = after(included);
      const settled = [...accounts].map(([item, account]) => {
        const kind = { hasCode: false, isDelegated: isDelegated(Number(BigInt(item))) };
        return [item, { ...account, ...kind }] as const;
      });
      return { gasUsed, accounts: new Map(settled) };
    },
  };
  return { prober, asked: wanted };
}

function oneAfterTheOther(candidates: readonly Candidate[], model: Model) {
  const included: Candidate[] = [];
  const refused: (Candidate & { refusal: Refusal })[] = [];
  for (const candidate of candidates) {
    const refusal = model.refusal(candidate);
    if (refusal !== undefined) refused.push({ ...candidate, refusal });
    else {
      included.push(candidate);
      model.apply(candidate);
    }
  }
  return { included, refused };
}

const balances = fc.array(fc.constantFrom(0n, 700_000n, 1_500_000n, 4_000_000n, 1_000_000_000n), {
  minLength: PEOPLE,
  maxLength: PEOPLE,
});

test('decides as if each had been tried in the state that those before it leave', async () => {
  await fc.assert(
    fc.asyncProperty(
      balances,
      fc.array(drawn, { maxLength: 25 }),
      fc.nat(4),
      fc.boolean(),
      async (start, all, maxBuilds, known) => {
        const { candidates, byHash } = makeCandidates(all);
        const costs = new Map<Address, bigint>();
        for (const { tx, from } of candidates)
          costs.set(from, (costs.get(from) ?? 0n) + tx.gasLimit * tx.maxFeePerGas + tx.value);
        const senders = new Map<Address, SenderAccount>();
        for (const [item, cost] of costs) {
          const balance = start[Number(BigInt(item))] ?? 0n;
          // Senders that can pay for everything need not be known exactly.
          const delegated = isDelegated(Number(BigInt(item)));
          const covered = known && balance >= cost && !delegated;
          const own = { nonce: 0n, balance: covered ? cost : balance, isExact: !covered };
          senders.set(item, { ...own, hasCode: false, isDelegated: delegated });
        }
        const codeless = known ? new Set([address(NOWHERE)]) : new Set<Address>();
        const { prober } = makeProber(start, byHash, maxBuilds);
        const feeRecipient = address(FEES);
        const limits = { fork: 'cancun', baseFee: BASE_FEE, gasLimit: GAS_LIMIT, bytes: 1_000_000 } as const;
        const context = { senders, codeless, feeRecipient, ...limits, prober };
        const decision = await decide(candidates, context);
        expect(decision).toEqual(oneAfterTheOther(candidates, new Model(start, byHash)));
      },
    ),
    { numRuns: 500 },
  );
});

test('a block of transfers by people who can pay for them is decided without executing anything', async () => {
  const start = [10n ** 18n, 10n ** 18n, 10n ** 18n, 10n ** 18n, 10n ** 18n];
  const transfer: Drawn = {
    from: 0,
    to: 1,
    nonceSlip: 0,
    nonceBack: false,
    gas: 21_000n,
    ran: 0,
    pays: 0,
    paid: 0n,
    cap: 20n,
    value: 1n,
  };
  const { candidates, byHash } = makeCandidates(
    Array.from({ length: 30 }, (_, index) => ({ ...transfer, from: index % 5 })),
  );
  const { prober, asked: wanted } = makeProber(start, byHash, 8);
  const senders = new Map(
    start.map((balance, index) => [
      address(index),
      { nonce: 0n, balance, isExact: false, hasCode: false, isDelegated: false },
    ]),
  );
  const context = {
    senders,
    codeless: new Set<Address>(),
    feeRecipient: address(FEES),
    fork: 'cancun' as const,
    baseFee: BASE_FEE,
    gasLimit: GAS_LIMIT,
    bytes: 1_000_000,
    prober,
  };
  const { included, refused } = await decide(candidates, context);
  // 10 fit into the block's gas, which transfers use exactly.
  expect([included.length, refused.length, refused[0]?.refusal.code]).toEqual([10, 20, 'block-gas']);
  expect(wanted).toEqual({ builds: 0, settled: 0 });
});
