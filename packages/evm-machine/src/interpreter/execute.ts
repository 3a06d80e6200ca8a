import { raised } from '../state/account.ts';
import type { StateReader } from '../state/state.ts';
import type { Address } from '../types.ts';
import { authorize, payAsNeeded, refundKnown } from './authorize.ts';
import { Code, findDelegate, NO_CODE } from './code.ts';
import { type Context, takeContext } from './context.ts';
import type { CallRequest } from './frame.ts';
import { CODE_STORE_OUT_OF_GAS, haltText, OUT_OF_GAS, REVERTED, STOPPED } from './halt.ts';
import { createdAddress } from './instructions/contracts.ts';
import type { Execute, ExecuteSystemCall, Execution, MachineOptions, Watch } from './interface.ts';
import { computeIntrinsicGas, type IntrinsicGas } from './intrinsic.ts';
import { type Account, isEmpty } from './journal.ts';
import { MAX_GAS, MAX_NONCE } from './limits.ts';
import { type Ended, Machine } from './machine.ts';
import type { Payer } from './state-gas.ts';
import { type Failure, type Message, type Outcome, SYSTEM_ADDRESS } from './values.ts';

/** EIP-4844. */
const GAS_OF_BLOB = 131_072n;
const WARM_GAS = 100;
const SYSTEM_GAS = 30_000_000;
/** EIP-8037: new slots that a call of the protocol may fill on top of that. */
const SYSTEM_SLOTS = 16;

export const execute: Execute = (options, message) => new MessageExecution(options, message);

export const executeSystemCall: ExecuteSystemCall = (options, { to, data }) => new SystemExecution(options, to, data);

/** A call on its way, on a journal of its own. */
abstract class RunningExecution implements Execution {
  readonly state: StateReader;
  protected readonly context: Context;
  protected readonly watch: Watch | undefined;
  #machine: Machine | undefined;

  constructor(options: MachineOptions) {
    this.context = takeContext(options);
    this.state = this.context.journal.view;
    this.watch = options.watch;
  }

  run(): Outcome {
    // Begins again if a read failed during the beginning.
    this.#machine ??= this.begin();
    const outcome = this.end(this.#machine.run());
    this.context.journal.end(this.context.rules);
    this.context.isFree = true;
    return outcome;
  }

  protected abstract begin(): Machine;
  protected abstract end(ended: Ended): Outcome;

  /** The outermost call. */
  protected toCall(to: Address, data: Uint8Array, value: bigint, gas: number): CallRequest {
    const { journal, rules } = this.context;
    const target = journal.account(to);
    target.isAccessed = true;
    let code = journal.code(target);
    const address = rules.hasDelegation ? findDelegate(code) : undefined;
    if (address !== undefined) {
      const delegate = journal.account(address);
      code = journal.code(delegate);
      journal.warm(delegate);
      delegate.isAccessed = true;
    }
    return { kind: 'CALL', account: target, target, code, value, input: data, gas, stateGas: 0, ...OUTERMOST };
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
  /** Part of it that is for state alone (EIP-8037). */
  readonly #reservoir: number;
  /** The transaction itself, outside of all frames. */
  #payer: Payer = { gas: 0, spillMark: 0 };
  /** Gas that it has paid for an account that its own call brings into being. */
  #stateGas = 0;
  #created: Address | undefined;

  constructor(options: MachineOptions, message: Message) {
    super(options);
    this.#message = message;
    this.#chainId = options.chainId;
    this.#block = options.block;
    const { rules } = this.context;
    this.#paid = computeIntrinsicGas(message, rules);
    // Gas beyond the exact range of a number is not spent by any code.
    this.#gas = Math.min(Number(message.gasLimit) - this.#paid.intrinsic, Number.MAX_SAFE_INTEGER);
    const bounded = rules.hasStateGas && message.isUnbounded !== true ? MAX_GAS - this.#paid.intrinsic : this.#gas;
    this.#reservoir = Math.max(0, this.#gas - bounded);
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
    context.stateGas.begin(this.#reservoir);
    this.#payer = { gas: this.#gas - this.#reservoir, spillMark: 0 };
    this.#stateGas = 0;
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
    const pay = rules.hasStateGas ? payAsNeeded(context, this.#message, this.#payer) : refundKnown(context);
    const mark = journal.mark();
    const isPaid = authorize(context, authorizations, this.#chainId, pay);
    const machine = new Machine(context, sender, this.watch);
    const target = journal.account(to ?? createdAddress(from, nonce));
    if (to === undefined) this.#created = target.address;
    if (rules.hasStateGas && !(isPaid && this.#payForTarget(target))) {
      journal.revert(mark);
      context.stateGas.begin(this.#reservoir);
      this.#payer.gas = 0;
      this.#stateGas = 0;
      const kind = to === undefined ? 'CREATE' : 'CALL';
      const item = { account: target, target, code: NO_CODE, value, input: data, gas: 0, stateGas: 0 };
      machine.startWithoutGas({ kind, ...item, ...OUTERMOST });
      return machine;
    }
    const { gas } = this.#payer;
    this.#payer.gas = 0;
    if (to !== undefined) machine.start(this.toCall(to, data, value, gas));
    else {
      const item = { account: target, target, code: new Code(data), value, input: data, gas, stateGas: 0 };
      machine.start({ kind: 'CREATE', ...item, ...OUTERMOST });
    }
    return machine;
  }

  /** EIP-2780: for the account that is brought into being, and for a look at another's code. @returns Whether there was enough. */
  #payForTarget(target: Account): boolean {
    const { journal, rules, stateGas } = this.context;
    const { to, value } = this.#message;
    target.isAccessed = true;
    if (isEmpty(target) && (to === undefined || value > 0n)) {
      this.#stateGas = rules.stateGas.account;
      if (!stateGas.charge(this.#payer, this.#stateGas)) return false;
    }
    const delegate = to === undefined ? undefined : findDelegate(journal.code(target));
    if (delegate === undefined) return true;
    this.#payer.gas -= journal.warm(journal.account(delegate)) ? rules.gas.coldAccount : WARM_GAS;
    return this.#payer.gas >= 0;
  }

  /** Gas that is left when the outermost call has ended, also that for state alone. */
  #leftOf({ halt, gasLeft }: Ended): number {
    const { stateGas } = this.context;
    const payer = this.#payer;
    payer.gas += gasLeft;
    stateGas.settle(payer);
    if (halt !== STOPPED) stateGas.refill(payer, this.#stateGas);
    // A failure takes refunds, too.
    if (halt !== STOPPED && halt !== REVERTED && this.context.rules.hasStateGas) payer.gas = 0;
    return payer.gas + stateGas.reservoir;
  }

  protected override end(ended: Ended): Outcome {
    const { journal, rules, stateGas } = this.context;
    const { gasLimit, gasPrice, from } = this.#message;
    const { floor, intrinsic } = this.#paid;
    const left = this.#leftOf(ended);
    // In this order: the sum of all gas may be more than a number counts exactly.
    const spent = intrinsic + (this.#gas - left);
    const used = spent - Math.min(journal.refund, Math.floor(spent / rules.refundQuotient));
    const gasUsed = BigInt(Math.max(used, floor));
    const sender = journal.account(from);
    journal.setBalance(sender, raised(sender.balance, (gasLimit - gasUsed) * gasPrice));
    const tip = gasPrice - (this.#block.baseFeePerGas ?? 0n);
    // Below the base fee only if checks allowed it; no fee is paid then.
    if (tip >= 0n) {
      const coinbase = journal.account(this.#block.coinbase);
      journal.setBalance(coinbase, raised(coinbase.balance, tip * gasUsed));
    }
    const forState = this.#reservoir - stateGas.reservoir + stateGas.spilled;
    return {
      gasUsed,
      gasPeak: BigInt(Math.max(spent, floor)),
      // EIP-7778: refunds make no room in a block.
      blockGas: rules.hasStateGas
        ? { execution: BigInt(Math.max(spent - forState, floor)), state: BigInt(forState) }
        : { execution: gasUsed, state: 0n },
      ...toResult(this.context, ended),
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
    context.stateGas.begin(SYSTEM_SLOTS * context.rules.stateGas.slot);
    const sender = context.journal.account(SYSTEM_ADDRESS);
    const machine = new Machine(context, sender, this.watch);
    const request = this.toCall(this.#to, this.#data, 0n, SYSTEM_GAS);
    context.journal.warm(request.target);
    machine.start(request);
    return machine;
  }

  protected override end(ended: Ended): Outcome {
    const gasUsed = BigInt(SYSTEM_GAS - ended.gasLeft);
    const blockGas = { execution: 0n, state: 0n };
    return { gasUsed, gasPeak: gasUsed, blockGas, ...toResult(this.context, ended), created: undefined };
  }
}

function toResult({ journal }: Context, { halt, opcode, output }: Ended): Pick<Outcome, 'output' | 'logs' | 'failure'> {
  return { output, logs: [...journal.logs], failure: halt === STOPPED ? undefined : toFailure(halt, opcode) };
}

function toFailure(halt: number, opcode: number): Failure {
  const text = haltText(halt, opcode) ?? '';
  if (halt === REVERTED) return { kind: 'revert', text };
  return { kind: halt === OUT_OF_GAS || halt === CODE_STORE_OUT_OF_GAS ? 'out of gas' : 'other', text };
}
