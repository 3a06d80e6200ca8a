import { raised } from '../state/account.ts';
import type { StateReader } from '../state/state.ts';
import type { Address } from '../types.ts';
import { authorize } from './authorize.ts';
import { Code, delegateOf } from './code.ts';
import { type Context, takeContext } from './context.ts';
import type { CallRequest } from './frame.ts';
import { CODE_STORE_OUT_OF_GAS, haltText, OUT_OF_GAS, REVERTED, STOPPED } from './halt.ts';
import { createdAddress } from './instructions/contracts.ts';
import type { Execute, ExecuteSystemCall, Execution, MachineOptions } from './interface.ts';
import { type IntrinsicGas, intrinsicGasOf } from './intrinsic.ts';
import { type Ended, MAX_NONCE, Machine } from './machine.ts';
import type { Failure, Message, Outcome } from './values.ts';

/** EIP-4844. */
const GAS_OF_BLOB = 131_072n;
/** EIP-4788 and those after it. */
const SYSTEM_ADDRESS: Address = '0xfffffffffffffffffffffffffffffffffffffffe';
const SYSTEM_GAS = 30_000_000;

export const execute: Execute = (options, message) => new MessageExecution(options, message);

export const executeSystemCall: ExecuteSystemCall = (options, { to, data }) => new SystemExecution(options, to, data);

/** A call on its way, on a journal of its own. */
abstract class RunningExecution implements Execution {
  readonly state: StateReader;
  protected readonly context: Context;
  #machine: Machine | undefined;

  constructor(options: MachineOptions) {
    this.context = takeContext(options);
    this.state = this.context.journal.view;
  }

  run(isDue?: () => boolean): Outcome | undefined {
    // Begins again where a read failed while it began.
    this.#machine ??= this.begin();
    const ended = this.#machine.run(isDue);
    if (ended === undefined) return undefined;
    const outcome = this.end(ended);
    this.context.journal.end(this.context.rules.removesEmpty);
    this.context.isFree = true;
    return outcome;
  }

  protected abstract begin(): Machine;
  protected abstract end(ended: Ended): Outcome;

  /** The outermost call. */
  protected callOf(to: Address, data: Uint8Array, value: bigint, gas: number): CallRequest {
    const { journal, rules } = this.context;
    const target = journal.account(to);
    target.isAccessed = true;
    let code = journal.code(target);
    const address = rules.hasDelegation ? delegateOf(code) : undefined;
    if (address !== undefined) {
      const delegate = journal.account(address);
      code = journal.code(delegate);
      journal.warm(delegate);
      delegate.isAccessed = true;
    }
    return { kind: 'CALL', account: target, target, code, value, input: data, gas, ...OUTERMOST };
  }
}

const OUTERMOST = { isStatic: false, outputAt: 0, outputLength: 0 };

class MessageExecution extends RunningExecution {
  readonly #message: Message;
  readonly #chainId: bigint;
  readonly #block: MachineOptions['block'];
  readonly #paid: IntrinsicGas;
  /** Gas that code may spend. */
  readonly #gas: number;
  #created: Address | undefined;

  constructor(options: MachineOptions, message: Message) {
    super(options);
    this.#message = message;
    this.#chainId = options.chainId;
    this.#block = options.block;
    this.#paid = intrinsicGasOf(message, this.context.rules);
    // Gas beyond what a number counts exactly is not spent by any code.
    this.#gas = Math.min(Number(message.gasLimit) - this.#paid.intrinsic, Number.MAX_SAFE_INTEGER);
  }

  protected override begin(): Machine {
    const { context } = this;
    const { journal, rules } = context;
    const {
      from,
      to,
      value,
      data,
      gasLimit,
      gasPrice,
      accessList,
      authorizations = [],
      blobHashes = [],
    } = this.#message;
    context.begin(this.#message);
    const sender = journal.account(from);
    const coinbase = journal.account(this.#block.coinbase);
    const blobFee = BigInt(blobHashes.length) * GAS_OF_BLOB * (this.#block.blobBaseFee ?? 0n);
    journal.setBalance(sender, sender.balance - gasLimit * gasPrice - blobFee);
    const { nonce } = sender;
    journal.setNonce(sender, (nonce + 1n) & MAX_NONCE);
    if (rules.hasAccessLists) {
      journal.warm(sender);
      if (to !== undefined) journal.warm(journal.account(to));
      if (rules.warmsCoinbase) journal.warm(coinbase);
      for (const { address, storageKeys } of accessList) {
        const account = journal.account(address);
        journal.warm(account);
        for (const key of storageKeys) journal.warmSlot(journal.slot(account, key));
      }
    }
    authorize(context, authorizations, this.#chainId);
    const machine = new Machine(context, sender);
    if (to !== undefined) {
      machine.start(this.callOf(to, data, value, this.#gas));
      return machine;
    }
    const account = journal.account(createdAddress(from, nonce));
    this.#created = account.address;
    account.isAccessed = true;
    const code = new Code(data);
    machine.start({ kind: 'CREATE', account, target: account, code, value, input: data, gas: this.#gas, ...OUTERMOST });
    return machine;
  }

  protected override end(ended: Ended): Outcome {
    const { journal, rules } = this.context;
    const { gasLimit, gasPrice, from } = this.#message;
    const { floor, intrinsic } = this.#paid;
    // In this order: the sum of all gas may be more than a number counts exactly.
    const spent = intrinsic + (this.#gas - ended.gasLeft);
    const used = spent - Math.min(journal.refund, Math.floor(spent / rules.refundQuotient));
    const gasUsed = BigInt(Math.max(used, floor));
    const sender = journal.account(from);
    journal.setBalance(sender, raised(sender.balance, (gasLimit - gasUsed) * gasPrice));
    const tip = gasPrice - (this.#block.baseFeePerGas ?? 0n);
    // Below the base fee only where checks allowed it; no fee is paid then.
    if (tip >= 0n) {
      const coinbase = journal.account(this.#block.coinbase);
      journal.setBalance(coinbase, raised(coinbase.balance, tip * gasUsed));
    }
    return {
      gasUsed,
      gasPeak: BigInt(Math.max(spent, floor)),
      ...resultOf(this.context, ended),
      created: this.#created,
    };
  }
}

class SystemExecution extends RunningExecution {
  readonly #to: Address;
  readonly #data: Uint8Array;

  constructor(options: MachineOptions, to: Address, data: Uint8Array) {
    super(options);
    this.#to = to;
    this.#data = data;
  }

  protected override begin(): Machine {
    const { context } = this;
    context.begin({ from: SYSTEM_ADDRESS, gasPrice: 0n });
    const sender = context.journal.account(SYSTEM_ADDRESS);
    const machine = new Machine(context, sender);
    const request = this.callOf(this.#to, this.#data, 0n, SYSTEM_GAS);
    context.journal.warm(request.target);
    machine.start(request);
    return machine;
  }

  protected override end(ended: Ended): Outcome {
    const gasUsed = BigInt(SYSTEM_GAS - ended.gasLeft);
    return { gasUsed, gasPeak: gasUsed, ...resultOf(this.context, ended), created: undefined };
  }
}

function resultOf({ journal }: Context, { halt, opcode, output }: Ended): Pick<Outcome, 'output' | 'logs' | 'failure'> {
  return { output, logs: [...journal.logs], failure: halt === STOPPED ? undefined : failureOf(halt, opcode) };
}

function failureOf(halt: number, opcode: number): Failure {
  const text = haltText(halt, opcode) ?? '';
  if (halt === REVERTED) return { kind: 'revert', text };
  return { kind: halt === OUT_OF_GAS || halt === CODE_STORE_OUT_OF_GAS ? 'out of gas' : 'other', text };
}
