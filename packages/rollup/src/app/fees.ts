import { balances, credit, debit, type StateReader, type StateWriter, type Steps } from '@switchyard/machine/browser';
import { type AccountId, type AssetId, U128_MAX } from '@switchyard/protocol';

/** Charges for the place in a block: refused transactions pay too. Amounts in the smallest unit of the asset. */
export interface FeeRule {
  readonly asset: AssetId;
  readonly perByte: bigint;
  readonly perStep: bigint;
  /** The account that gets them; they are destroyed, if undefined. */
  readonly to?: AccountId;
}

/** Fee of the bytes of a transaction, which its signer has to hold when it is submitted. */
export function feeOfBytes({ asset, perByte }: FeeRule, bytes: number) {
  return { asset, amount: perByte * BigInt(bytes) };
}

/** Fees of one transaction in a block. */
export class TransactionFees {
  readonly #rule: FeeRule;
  readonly #bytes: number;
  #payer: AccountId | undefined;
  #steps: Steps | undefined;

  constructor(rule: FeeRule, bytes: number) {
    this.#rule = rule;
    this.#bytes = bytes;
  }

  /** Takes the fee of its bytes. @throws {Rejected} `insufficient-balance`, with nothing taken. */
  enter(state: StateWriter, payer: AccountId): void {
    this.#pay(state, payer, feeOfBytes(this.#rule, this.#bytes).amount);
    this.#payer = payer;
  }

  /** How many steps the rest of the balance pays for. */
  affordable(state: StateReader, payer: AccountId): number {
    const { asset, perStep } = this.#rule;
    return perStep === 0n ? Number.POSITIVE_INFINITY : Number(balances.get(state, [payer, asset]) / perStep);
  }

  /** Its steps, of which there are no more than it can pay for. */
  countBy(steps: Steps): Steps {
    this.#steps = steps;
    return steps;
  }

  /** Takes the fee of the steps so far. @throws {Rejected} `insufficient-balance` if its actions have spent too much. */
  settle(state: StateWriter): void {
    if (this.#payer === undefined || this.#steps === undefined) return;
    this.#pay(state, this.#payer, this.#rule.perStep * BigInt(this.#steps.used));
  }

  #pay(state: StateWriter, payer: AccountId, amount: bigint): void {
    const { asset, to } = this.#rule;
    debit(state, payer, asset, amount);
    if (to === undefined) return;
    // An amount that the account cannot hold is destroyed: no balance may refuse the transactions of all.
    const room = U128_MAX - balances.get(state, [to, asset]);
    credit(state, to, asset, amount < room ? amount : room);
  }
}
