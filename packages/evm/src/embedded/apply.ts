import { isDelegation } from '../delegation.ts';
import { type Fork, includes } from '../interpreter/fork.ts';
import type { Refusal } from '../refusals.ts';
import { floorGas, intrinsicGas, sizeRefusal, statefulRefusal } from '../rules.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { StateWriter } from '../state/state.ts';
import type { Transaction } from '../transaction.ts';
import type { Address } from '../types.ts';
import { credit, NEW_ACCOUNT } from './accounts.ts';
import type { BlockEnvironment } from './environment.ts';
import type { Interpreter } from './interpreter.ts';
import type { Outcome } from './outcome.ts';

export interface ApplyContext {
  readonly state: StateWriter;
  readonly block: BlockEnvironment;
  readonly gasLeft: bigint;
  /** For transactions of the block, see `bytesForTransactions`. */
  readonly bytesLeft: number;
  readonly interpreter: Interpreter;
  /** Tests switch it off to compare. */
  readonly direct: boolean;
}

/**
 * Applies a transaction that passed `checkTransaction`, or returns why it cannot be applied; then nothing has changed.
 * Answers at once, without a promise, where nothing has to be interpreted.
 */
export function applyTransaction(
  tx: Transaction,
  from: Address,
  context: ApplyContext,
): Outcome | Refusal | Promise<Outcome | Refusal> {
  const { state, block, gasLeft, bytesLeft } = context;
  const sender = state.account(from) ?? NEW_ACCOUNT;
  const hasCode = sender.codeHash !== EMPTY_CODE_HASH && !isDelegation(state.code(sender.codeHash));
  const refused =
    statefulRefusal(
      tx,
      { nonce: sender.nonce, balance: sender.balance, hasCode },
      { baseFee: block.baseFee, gasLeft },
    ) ?? sizeRefusal(tx, bytesLeft);
  if (refused !== undefined) return refused;
  const price = effectivePrice(tx, block.baseFee);
  if (!context.direct || !isPlainTransfer(tx, state, block.fork)) return context.interpreter.run(tx, from, price);
  return transfer(tx, from, price, context);
}

/** Wei for each unit of gas (EIP-1559). */
export function effectivePrice(
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<Transaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  baseFee: bigint,
): bigint {
  const price = baseFee + maxPriorityFeePerGas;
  return price < maxFeePerGas ? price : maxFeePerGas;
}

function isPlainTransfer({ to, authorizations }: Transaction, state: StateWriter, fork: Fork): boolean {
  if (to === undefined || authorizations !== undefined || isPrecompile(to, fork)) return false;
  const { codeHash } = state.account(to) ?? NEW_ACCOUNT;
  return codeHash === EMPTY_CODE_HASH;
}

/** EIP-4844 added the tenth, EIP-2537 the next seven, EIP-7951 one at 256. */
export function isPrecompile(address: Address, fork: Fork): boolean {
  if (!address.startsWith('0x00000000000000000000')) return false;
  const number = BigInt(address);
  if (number === P256_VERIFY) return includes(fork, 'osaka');
  return number > 0n && number <= (includes(fork, 'prague') ? 17n : 10n);
}

const P256_VERIFY = 256n;

/** Nothing is interpreted, so all that is used is the intrinsic gas or the floor of its data, and it cannot fail. */
function transfer(tx: Transaction, from: Address, price: bigint, { state, block }: ApplyContext): Outcome {
  const [intrinsic, floor] = [intrinsicGas(tx), floorGas(tx, block.fork)];
  const gasUsed = intrinsic < floor ? floor : intrinsic;
  const sender = state.account(from) ?? NEW_ACCOUNT;
  const balance = sender.balance - tx.value - gasUsed * price;
  state.putAccount(from, { ...sender, nonce: sender.nonce + 1n, balance });
  // `isPlainTransfer` has seen that there is a recipient.
  if (tx.to !== undefined) credit(state, tx.to, tx.value);
  credit(state, block.coinbase, gasUsed * (price - block.baseFee));
  return { status: 1, gasUsed, effectiveGasPrice: price, logs: [], internal: undefined };
}
