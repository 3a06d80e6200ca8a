import { execute } from '../interpreter/execute.ts';
import type { Fork } from '../interpreter/fork.ts';
import type { MachineOptions } from '../interpreter/interface.ts';
import { InternalCalls } from '../interpreter/internal-calls.ts';
import { runInTurns, type Turns } from '../interpreter/turns.ts';
import type { Outcome as Executed, Message } from '../interpreter/values.ts';
import type { Refusal } from '../refusals.ts';
import { intrinsicGas, statefulRefusal } from '../rules.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { StateWriter } from '../state/state.ts';
import type { Transaction } from '../transaction.ts';
import type { Address } from '../types.ts';
import { credit, NEW_ACCOUNT } from './accounts.ts';
import { type BlockEnvironment, machineOn } from './environment.ts';
import type { Outcome } from './outcome.ts';

/** What the transactions of one block are applied to. */
export interface ApplyContext extends Turns {
  readonly fork: Fork;
  readonly chainId: bigint;
  readonly state: StateWriter;
  readonly block: BlockEnvironment;
  readonly gasLeft: bigint;
  /** Tests switch it off to compare. */
  readonly direct: boolean;
}

/**
 * Applies a transaction that passed `checkTransaction`, or returns why it cannot be applied; then nothing has changed.
 * Answers at once, without a promise, where it takes no longer than a turn.
 */
export function applyTransaction(
  tx: Transaction,
  from: Address,
  context: ApplyContext,
): Outcome | Refusal | Promise<Outcome> {
  const { state, block, gasLeft, direct } = context;
  const sender = state.account(from) ?? NEW_ACCOUNT;
  const refused = statefulRefusal(
    tx,
    { nonce: sender.nonce, balance: sender.balance, hasCode: sender.codeHash !== EMPTY_CODE_HASH },
    { baseFee: block.baseFee, gasLeft },
  );
  if (refused !== undefined) return refused;
  const price = effectivePrice(tx, block.baseFee);
  if (direct && isPlainTransfer(tx, state)) return transfer(tx, from, price, context);
  const internal = new InternalCalls();
  const machine: MachineOptions = { ...machineOn(context), hooks: internal };
  const ran = runInTurns(execute(machine, messageOf(tx, from, price)), context);
  return ran instanceof Promise ? ran.then((end) => outcomeOf(end, price, internal)) : outcomeOf(ran, price, internal);
}

function messageOf(
  { to, nonce, gasLimit, value, data, accessList }: Transaction,
  from: Address,
  price: bigint,
): Message {
  return { from, to, nonce, gasLimit, gasPrice: price, value, data, accessList };
}

function outcomeOf({ failure, gasUsed, logs }: Executed, price: bigint, internal: InternalCalls): Outcome {
  return { status: failure === undefined ? 1 : 0, gasUsed, effectiveGasPrice: price, logs, internal: internal.calls };
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
