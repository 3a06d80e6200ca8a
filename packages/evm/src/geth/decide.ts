import { findAuthority } from '@switchyard/evm-machine/delegation';
import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Address } from '@switchyard/evm-machine/types';
import type { Candidate } from '../embedded/entries.ts';
import type { PoolAccount } from '../pool/deps.ts';
import { type GasLeft, hasRoom } from '../rules/block-gas.ts';
import { bytesInBlock, leastGas, sizeRefusal, statefulRefusal } from '../rules/rules.ts';
import { effectivePrice } from '../transactions/price.ts';
import type { Refusal } from '../transactions/refusals.ts';

/** A sender at the beginning of the block. */
export interface SenderAccount extends PoolAccount {
  /** False if `balance` is only a lower bound, which then covers all that the sender's candidates can cost. */
  readonly isExact: boolean;
}

/** Finds out by executing; each answer is about the candidates that are given, in their order, on the parent. */
export interface Prober {
  /** Gas that they use together; undefined if asking `settle` is cheaper. */
  gasUsed(included: readonly Candidate[]): Promise<bigint | undefined>;
  /** Every list that it is given begins with the one before. */
  settle(included: readonly Candidate[]): Promise<Settled>;
}

export interface Settled {
  /** Gas as a block counts it. */
  readonly gasUsed: bigint;
  /** Gas for state (EIP-8037). */
  readonly stateGasUsed?: bigint;
  /** Every account that changed since the beginning of the block; others may be included. */
  readonly accounts: ReadonlyMap<Address, PoolAccount>;
}

export interface Decision {
  readonly included: readonly Candidate[];
  readonly refused: readonly (Candidate & { readonly refusal: Refusal })[];
}

export interface DecisionContext {
  /** Has every sender. */
  readonly senders: ReadonlyMap<Address, SenderAccount>;
  /** Recipients that are known to have no code at the beginning of the block. */
  readonly codeless: ReadonlySet<Address>;
  readonly feeRecipient: Address;
  readonly fork: Fork;
  readonly baseFee: bigint;
  /** For transactions of the block, see `gasForTransactions`. */
  readonly gasLimit: bigint;
  /** For transactions of the block, see `bytesForTransactions`. */
  readonly bytes: number;
  readonly prober: Prober;
}

/**
 * Which candidates apply, each tried in the state that those before it leave: the rule that a client without it would
 * break by refusing the whole block. Nonces are followed exactly, balances and gas as bounds; the prober is used only
 * if a bound does not decide, and if code may have changed a sender's nonce (EIP-7702).
 */
export async function decide(candidates: readonly Candidate[], context: DecisionContext): Promise<Decision> {
  const { baseFee, prober } = context;
  const block = new BlockBounds(context);
  const included: Candidate[] = [];
  const refused: (Candidate & { refusal: Refusal })[] = [];
  for (const candidate of candidates) {
    const { tx, from } = candidate;
    const sender = block.sender(from);
    if (!block.isKnown(sender)) block.settle(await prober.settle(included));
    const cost = tx.gasLimit * tx.maxFeePerGas + tx.value;
    // Nonce, code and fee cap are exact here.
    const early = statefulRefusal(tx, { ...sender, balance: cost }, { baseFee, gasLeft: tx.gasLimit });
    if (early !== undefined) {
      refused.push({ ...candidate, refusal: early });
      continue;
    }
    if (sender.balance < cost && !block.isExact(sender)) block.settle(await prober.settle(included));
    if (sender.balance >= cost && !block.hasRoom(tx.gasLimit) && !block.isGasExact) {
      const gasUsed = block.countsState ? undefined : await prober.gasUsed(included);
      if (gasUsed === undefined) block.settle(await prober.settle(included));
      else block.setGas(gasUsed);
    }
    const refusal = statefulRefusal(tx, sender, { baseFee, ...block.left }) ?? sizeRefusal(tx, block.bytesLeft);
    if (refusal === undefined) {
      included.push(candidate);
      block.include(candidate);
    } else refused.push({ ...candidate, refusal });
  }
  return { included, refused };
}

interface TrackedSender {
  nonce: bigint;
  balance: bigint;
  hasCode: boolean;
  /** It has another's code, or one of the transactions may have given or taken it: others can use its nonces too. */
  isDelegated: boolean;
  /** If `isDelegated`: nonce and code are exact while no code has run since. */
  knownAt: number;
  /** It began with an exact balance, so that as long as nothing touches it it still has one. */
  readonly isTracked: boolean;
  /** `balance` is exact while no code has run since: compare with `BlockBounds.#runs`. */
  exactAt: number;
}

const NEVER = -1;

/** Bounds on the block in progress that are known without executing it. */
class BlockBounds {
  readonly #context: DecisionContext;
  readonly #senders = new Map<Address, TrackedSender>();
  /** Counts transactions that may have run code, and so may have paid anybody. */
  #runs = 0;
  #leastGas = 0n;
  #mostGas = 0n;
  #leastStateGas = 0n;
  #mostStateGas = 0n;
  #bytes = 0;
  /** Accounts that transactions of the block name in authorizations. */
  readonly #authorities = new Set<Address>();

  constructor(context: DecisionContext) {
    this.#context = context;
    for (const [address, { isExact, ...account }] of context.senders)
      this.#senders.set(address, { ...account, isTracked: isExact, exactAt: isExact ? 0 : NEVER, knownAt: 0 });
  }

  /** Whether gas for state is counted on its own, so that no header states how much of both was used. */
  get countsState(): boolean {
    return includes(this.#context.fork, 'amsterdam');
  }

  /** At least. */
  get left(): GasLeft {
    const { gasLimit } = this.#context;
    const gasLeft = gasLimit - this.#mostGas;
    return this.countsState ? { gasLeft, stateGasLeft: gasLimit - this.#mostStateGas } : { gasLeft };
  }

  get bytesLeft(): number {
    return this.#context.bytes - this.#bytes;
  }

  get isGasExact(): boolean {
    return this.#leastGas === this.#mostGas && this.#leastStateGas === this.#mostStateGas;
  }

  sender(address: Address): TrackedSender {
    const sender = this.#senders.get(address);
    if (sender === undefined) throw new Error(`nothing is known of sender ${address}`);
    return sender;
  }

  /** Whether nonce and code are exact. */
  isKnown({ isDelegated, knownAt }: TrackedSender): boolean {
    return !isDelegated || knownAt === this.#runs;
  }

  isExact(sender: TrackedSender): boolean {
    return sender.exactAt === this.#runs;
  }

  hasRoom(gas: bigint): boolean {
    return hasRoom(gas, this.left);
  }

  setGas(gasUsed: bigint, stateGasUsed = 0n): void {
    this.#leastGas = gasUsed;
    this.#mostGas = gasUsed;
    this.#leastStateGas = stateGasUsed;
    this.#mostStateGas = stateGasUsed;
  }

  settle({ gasUsed, stateGasUsed, accounts }: Settled): void {
    this.setGas(gasUsed, stateGasUsed);
    for (const [address, sender] of this.#senders) {
      const account = accounts.get(address);
      sender.knownAt = this.#runs;
      if (account === undefined && !sender.isTracked) continue;
      if (account !== undefined) Object.assign(sender, account);
      sender.exactAt = this.#runs;
    }
  }

  include({ tx, from }: Candidate): void {
    const { baseFee, codeless, feeRecipient, fork } = this.#context;
    const sender = this.sender(from);
    const { intrinsic, floor } = leastGas(tx, fork, from);
    this.#bytes += bytesInBlock(tx);
    const price = effectivePrice(tx, baseFee);
    const tip = price - baseFee;
    sender.nonce += 1n;
    sender.balance -= tx.gasLimit * price + tx.value;
    // From Amsterdam on a transfer may want more than that (EIP-2780).
    if (tx.to !== undefined && tx.gasLimit === intrinsic && tx.authorizations === undefined && !this.countsState) {
      // No gas is left to run anything with: it costs this exactly, regardless of the recipient.
      this.#leastGas += intrinsic;
      this.#mostGas += intrinsic;
      this.#credit(feeRecipient, tip * intrinsic);
      const isCodeless = codeless.has(tx.to) && !this.#authorities.has(tx.to);
      if (tx.value > 0n && !this.#credit(tx.to, tx.value) && !isCodeless) sender.exactAt = NEVER;
      return;
    }
    // At most a fifth of the gas comes back (EIP-3529), and no less is used than the data costs (EIP-7623).
    const least = intrinsic - intrinsic / 5n;
    this.#leastGas += least < floor ? floor : least;
    this.#mostGas += tx.gasLimit;
    if (this.countsState) this.#mostStateGas += tx.gasLimit - intrinsic;
    this.#runs += 1;
    for (const authorization of tx.authorizations ?? []) this.#authorize(findAuthority(authorization));
  }

  /** Its nonce and code may be others now. */
  #authorize(authority: Address | undefined): void {
    if (authority === undefined) return;
    this.#authorities.add(authority);
    const sender = this.#senders.get(authority);
    if (sender !== undefined) sender.isDelegated = true;
  }

  /** @returns whether it surely arrived: at a sender that has no code. */
  #credit(to: Address, wei: bigint): boolean {
    const recipient = this.#senders.get(to);
    if (recipient === undefined || recipient.hasCode || recipient.isDelegated) return false;
    recipient.balance += wei;
    return true;
  }
}
