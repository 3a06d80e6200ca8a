import type { Refusal } from '../refusals.ts';
import { intrinsicGas, statefulRefusal } from '../rules.ts';
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
  readonly interpreter: Interpreter;
  /** Tests switch it off to compare. */
  readonly direct: boolean;
  readonly maySend?: ((contract: Address) => boolean) | undefined;
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
  const { state, block, gasLeft } = context;
  const sender = state.account(from) ?? NEW_ACCOUNT;
  const hasCode = sender.codeHash !== EMPTY_CODE_HASH && context.maySend?.(from) !== true;
  const refused = statefulRefusal(
    tx,
    { nonce: sender.nonce, balance: sender.balance, hasCode },
    { baseFee: block.baseFee, gasLeft },
  );
  if (refused !== undefined) return refused;
  const price = effectivePrice(tx, block.baseFee);
  if (!context.direct || !isPlainTransfer(tx, state)) return context.interpreter.run(tx, from, price);
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

/** Highest address of a precompiled contract in Cancun; they begin with 1. */
const LAST_PRECOMPILE = 10n;

function isPlainTransfer({ to }: Transaction, state: StateWriter): boolean {
  if (to === undefined || isPrecompile(to)) return false;
  const { codeHash } = state.account(to) ?? NEW_ACCOUNT;
  return codeHash === EMPTY_CODE_HASH;
}

export function isPrecompile(address: Address): boolean {
  return address.startsWith('0x00000000000000000000') && BigInt(address) > 0n && BigInt(address) <= LAST_PRECOMPILE;
}

/** Nothing is interpreted, so all that is used is the intrinsic gas, and it cannot fail. */
function transfer(tx: Transaction, from: Address, price: bigint, { state, block }: ApplyContext): Outcome {
  const gasUsed = intrinsicGas(tx);
  const sender = state.account(from) ?? NEW_ACCOUNT;
  const balance = sender.balance - tx.value - gasUsed * price;
  state.putAccount(from, { ...sender, nonce: sender.nonce + 1n, balance });
  // `isPlainTransfer` has seen that there is a recipient.
  if (tx.to !== undefined) credit(state, tx.to, tx.value);
  credit(state, block.coinbase, gasUsed * (price - block.baseFee));
  return { status: 1, gasUsed, effectiveGasPrice: price, logs: [], internal: undefined };
}
