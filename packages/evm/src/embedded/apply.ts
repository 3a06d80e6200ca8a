import { EMPTY_CODE_HASH, MAX_BALANCE } from '@switchyard/evm-machine/account';
import { isDelegation } from '@switchyard/evm-machine/delegation';
import { execute } from '@switchyard/evm-machine/execute';
import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Hooks } from '@switchyard/evm-machine/hooks';
import { getPrecompiles } from '@switchyard/evm-machine/precompiles';
import type { StateWriter } from '@switchyard/evm-machine/state';
import { transferLog } from '@switchyard/evm-machine/transfer-log';
import type { Address, Hash, Log } from '@switchyard/evm-machine/types';
import type { Outcome as Executed, Message } from '@switchyard/evm-machine/values';
import type { InternalCall } from '../chain/chain.ts';
import type { GasLeft } from '../rules/block-gas.ts';
import { leastGas, sizeRefusal, statefulRefusal } from '../rules/rules.ts';
import { credit, isEmpty, NEW_ACCOUNT } from '../transactions/accounts.ts';
import { effectivePrice } from '../transactions/price.ts';
import type { Refusal } from '../transactions/refusals.ts';
import type { Transaction } from '../transactions/transaction.ts';
import type { CallContext } from './environment.ts';
import { InternalCalls } from './internal-calls.ts';

/** Effect of an applied transaction. */
export interface Outcome extends Pick<Executed, 'gasUsed' | 'blockGas' | 'logs'> {
  readonly status: 0 | 1;
  /** Wei for each unit of gas. */
  readonly effectiveGasPrice: bigint;
  readonly internal: readonly InternalCall[] | undefined;
}

/** Context of a transaction in a block, with the room that is left for it. */
export interface ApplyContext extends CallContext, GasLeft {
  /** For transactions of the block, see `bytesForTransactions`. */
  readonly bytesLeft: number;
  /** Whether an account with code of its own may send all the same. */
  readonly maySend?: ((contract: Address) => boolean) | undefined;
  /** Observes the interpretation of a transaction. */
  readonly follow?: ((transaction: Hash) => Pick<Hooks, 'enter' | 'exit'>) | undefined;
}

/** A transaction whose code is to run. */
export interface BegunTransaction {
  /** After a read of the state has thrown, it can be called again and continues with that read. */
  run(): Outcome;
}

/** Applies a transaction that passed `checkTransaction`, or returns why it cannot be applied; then nothing has changed. */
export function applyTransaction(tx: Transaction, from: Address, context: ApplyContext): Outcome | Refusal {
  const begun = beginTransaction(tx, from, context);
  return 'run' in begun ? begun.run() : begun;
}

/** Like `applyTransaction`, but for code, which the caller runs. */
export function beginTransaction(
  tx: Transaction,
  from: Address,
  context: ApplyContext,
): Outcome | Refusal | BegunTransaction {
  const { state, block, fork, gasLeft, stateGasLeft, bytesLeft, direct } = context;
  const baseFee = block.baseFeePerGas ?? 0n;
  const sender = state.account(from) ?? NEW_ACCOUNT;
  const isContract = sender.codeHash !== EMPTY_CODE_HASH && !isDelegation(state.code(sender.codeHash));
  const hasCode = isContract && context.maySend?.(from) !== true;
  const refused =
    statefulRefusal(
      tx,
      { nonce: sender.nonce, balance: sender.balance, hasCode },
      { baseFee, gasLeft, stateGasLeft },
    ) ?? sizeRefusal(tx, bytesLeft);
  if (refused !== undefined) return refused;
  const price = effectivePrice(tx, baseFee);
  if (direct === true && isPlainTransfer(tx, state, fork)) return transfer(tx, from, price, context);
  const internal = new InternalCalls();
  const followed = context.follow?.(tx.hash);
  const hooks = followed === undefined ? internal : both(internal, followed);
  const execution = execute({ ...context, hooks }, toMessage(tx, from, price));
  return { run: () => toOutcome(execution.run(), price, internal) };
}

function both(internal: InternalCalls, { enter, exit }: Pick<Hooks, 'enter' | 'exit'>): Hooks {
  return {
    enter(frame) {
      internal.enter(frame);
      enter?.(frame);
    },
    exit(end) {
      internal.exit(end);
      exit?.(end);
    },
    selfdestruct: internal.selfdestruct,
  };
}

function toMessage(
  { to, nonce, gasLimit, value, data, accessList, authorizations }: Transaction,
  from: Address,
  price: bigint,
): Message {
  return { from, to, nonce, gasLimit, gasPrice: price, value, data, accessList, authorizations };
}

function toOutcome({ failure, gasUsed, blockGas, logs }: Executed, price: bigint, internal: InternalCalls): Outcome {
  return {
    status: failure === undefined ? 1 : 0,
    gasUsed,
    blockGas,
    effectiveGasPrice: price,
    logs,
    internal: internal.calls,
  };
}

function isPlainTransfer({ to, value, authorizations }: Transaction, state: StateWriter, fork: Fork): boolean {
  if (to === undefined || authorizations !== undefined || getPrecompiles(fork).has(to)) return false;
  const recipient = state.account(to);
  // EIP-8037: an account that is brought into being costs more than a transfer.
  if (includes(fork, 'amsterdam') && value > 0n && (recipient === undefined || isEmpty(recipient))) return false;
  const { codeHash, balance } = recipient ?? NEW_ACCOUNT;
  return codeHash === EMPTY_CODE_HASH && balance + value <= MAX_BALANCE;
}

/** Nothing is interpreted, so all that is used is the intrinsic gas or the floor of its data, and it cannot fail. */
function transfer(
  tx: Transaction,
  from: Address,
  price: bigint,
  { state, block, fork, recorder }: ApplyContext,
): Outcome {
  const { intrinsic, floor } = leastGas(tx, fork, from);
  const gasUsed = intrinsic < floor ? floor : intrinsic;
  const before = state.account(from);
  const sender = before ?? NEW_ACCOUNT;
  const balance = sender.balance - tx.value - gasUsed * price;
  const paid = { ...sender, nonce: sender.nonce + 1n, balance };
  state.putAccount(from, paid);
  recorder?.account(from, before, paid, (hash) => state.code(hash));
  const logs: Log[] = [];
  // `isPlainTransfer` has seen that there is a recipient.
  if (tx.to !== undefined) {
    credit(state, tx.to, tx.value, recorder);
    if (includes(fork, 'amsterdam') && tx.value > 0n && tx.to !== from) logs.push(transferLog(from, tx.to, tx.value));
  }
  credit(state, block.coinbase, gasUsed * (price - (block.baseFeePerGas ?? 0n)), recorder);
  const blockGas = { execution: gasUsed, state: 0n };
  return { status: 1, gasUsed, blockGas, effectiveGasPrice: price, logs, internal: undefined };
}
