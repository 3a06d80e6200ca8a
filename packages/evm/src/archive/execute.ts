import { encodeAccessList } from '@switchyard/evm-machine/access-lists';
import { AccessRecorder } from '@switchyard/evm-machine/access-lists/recorder';
import { includes } from '@switchyard/evm-machine/fork';
import type { Hooks } from '@switchyard/evm-machine/hooks';
import type { Execution, MachineOptions } from '@switchyard/evm-machine/interface';
import type { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { Address, Hash, Header } from '@switchyard/evm-machine/types';
import { asList, bytesToHex, decodeRlp, InvalidRlp, type RlpTree } from '@switchyard/protocol/ethereum';
import { decodeWithdrawal } from '../blocks/block.ts';
import { joinBlooms } from '../blocks/bloom.ts';
import { hashHeader, headerFromItems } from '../blocks/header.ts';
import { orderedRoot } from '../blocks/ordered-root.ts';
import { encodeReceipt } from '../blocks/receipt.ts';
import { requestsHash } from '../blocks/requests.ts';
import type { IncludedTransaction, InternalCall, StoredBlock, StoredReceipt } from '../chain/chain.ts';
import { InternalCalls } from '../embedded/internal-calls.ts';
import { beforeTransactions, findRequests, MissingSystemContract } from '../embedded/system-calls.ts';
import type { ArchiveRules, ArchiveSchedule } from '../genesis/archive-schedule.ts';
import { BlockGas, type GasLeft, hasRoom } from '../rules/block-gas.ts';
import { readyMachine } from '../rules/ready.ts';
import { Inapplicable, OF_A_TRANSACTION } from '../simulate/checks.ts';
import { makeEnvironment } from '../simulate/environment.ts';
import type { EvmMessage } from '../simulate/evm-message.ts';
import { includedMessage } from '../simulate/included.ts';
import { beginMessage } from '../simulate/message.ts';
import { payMiner } from '../simulate/pay-miner.ts';
import { credit } from '../transactions/accounts.ts';
import { InvalidTransaction } from '../transactions/transaction.ts';
import { drainDao } from './dao.ts';
import { depositRequest } from './deposits.ts';
import { readIncluded } from './transactions.ts';
import { checkAccessList, checkForm, expect, InvalidBlock } from './validate.ts';

/** A block whose header is decoded, and whose body is not. */
export interface DecodedBlock {
  readonly hash: Hash;
  readonly header: Header;
  readonly rules: ArchiveRules;
  readonly body: readonly RlpTree[];
  readonly size: number;
}

/** @throws {InvalidBlock} for bytes that are no block of the chain's rules. */
export function decodeBlock(bytes: Uint8Array, schedule: ArchiveSchedule): DecodedBlock {
  return wellFormed(() => {
    const [first, ...body] = asList(decodeRlp(bytes));
    const header = headerFromItems(asList(first));
    const rules = schedule(header.number, header.timestamp);
    expect('parts of the block', body.length, includes(rules.fork, 'shanghai') ? 3 : 2);
    return { hash: hashHeader(header), header, rules, body, size: bytes.length };
  });
}

/** @throws {InvalidBlock} */
export function readBody({ hash, header, rules, body, size }: DecodedBlock): StoredBlock {
  const [transactions, uncles, withdrawals] = body.map((part) => wellFormed(() => asList(part)));
  const headers = (uncles ?? []).map((uncle) => wellFormed(() => headerFromItems(asList(uncle))));
  for (const uncle of headers) checkForm(uncle, rules);
  return {
    ...{ hash, header, size },
    transactions: (transactions ?? []).map((item, index) =>
      wellFormed(() => readIncluded(item, rules), `transaction ${index}: `),
    ),
    withdrawals: (withdrawals ?? []).map((item) => wellFormed(() => decodeWithdrawal(item))),
    ...(headers.length === 0 ? {} : { uncles: headers }),
  };
}

function wellFormed<T>(read: () => T, place = ''): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidRlp || error instanceof InvalidTransaction)
      throw new InvalidBlock(`${place}${error.message}`, { cause: error });
    throw error;
  }
}

export interface ExecutedArchiveBlock {
  readonly block: StoredBlock;
  readonly receipts: readonly StoredReceipt[];
  readonly internal: readonly (readonly InternalCall[] | undefined)[];
  /** In RLP (EIP-7928), from Amsterdam on. */
  readonly accessList?: Uint8Array;
}

export interface RunOptions {
  /** Hash of a block before the running one. */
  readonly findHash: (number: bigint) => Hash | undefined;
  /** EIP-6110. */
  readonly depositContract: Address;
  /** Root of the present state. */
  readonly root: () => Hash;
}

/**
 * Executes a block and compares all that its header commits to: roots of state, receipts and requests, logs, gas and accesses.
 *
 * @throws {InvalidBlock}
 */
export async function runBlock(block: StoredBlock, rules: ArchiveRules, state: StateOverlay, options: RunOptions) {
  await readyMachine();
  const { header, uncles = [] } = block;
  const recorder = includes(rules.fork, 'amsterdam') ? new AccessRecorder() : undefined;
  const machine: MachineOptions = {
    fork: rules.fork,
    chainId: rules.chainId,
    state,
    block: makeEnvironment(header, rules),
    blockHash: options.findHash,
    recorder,
  };
  if (rules.daoBlock === header.number) drainDao(state);
  beforeTransactions(machine, header);
  const { receipts, internal, gasUsed } = runTransactions(block, machine, options.root);
  if (recorder !== undefined) recorder.index = block.transactions.length + 1;
  for (const { address, amount } of block.withdrawals) credit(state, address, amount * WEI_PER_GWEI, recorder);
  payMiner(machine, uncles);
  const requests = [...deposits(receipts, machine, options.depositContract), ...collected(machine)];
  compare(header, { receipts, requests, stateRoot: options.root(), gasUsed });
  if (recorder === undefined) return { block, receipts, internal };
  const list = recorder.list();
  const accessList = encodeAccessList(list);
  checkAccessList(header, list, accessList);
  return { block, receipts, internal, accessList };
}

const WEI_PER_GWEI = 1_000_000_000n;

function runTransactions({ header, transactions }: StoredBlock, machine: MachineOptions, root: () => Hash) {
  const receipts: StoredReceipt[] = [];
  const internal: (readonly InternalCall[] | undefined)[] = [];
  const gas = new BlockGas(machine.fork, header.gasLimit);
  let cumulativeGasUsed = 0n;
  for (const [index, transaction] of transactions.entries()) {
    const message = includedMessage(transaction, header.baseFeePerGas);
    const hooks = new InternalCalls();
    if (machine.recorder !== undefined) machine.recorder.index = index + 1;
    const execution = begin(machine, message, { index, left: gas, hooks });
    const { failure, gasUsed, blockGas, created, logs } = execution.run();
    gas.add(blockGas);
    cumulativeGasUsed += gasUsed;
    internal.push(hooks.calls);
    receipts.push({
      type: typeOf(transaction),
      status: failure === undefined ? 1 : 0,
      ...{ gasUsed, cumulativeGasUsed, logs },
      effectiveGasPrice: message.gasPrice,
      contractAddress: created,
      // EIP-658 put the status in its place.
      ...(includes(machine.fork, 'byzantium') ? {} : { stateRoot: root() }),
    });
  }
  return { receipts, internal, gasUsed: gas.used };
}

/** EIP-2718: bytes that begin like a list have no type. */
function typeOf({ raw: [first = 0] }: IncludedTransaction): number {
  return first < 0xc0 ? first : 0;
}

function begin(
  machine: MachineOptions,
  message: EvmMessage,
  { index, left, hooks }: { readonly index: number; readonly left: GasLeft; readonly hooks: Hooks },
): Execution {
  const invalid = (why: string, cause?: unknown) => new InvalidBlock(`transaction ${index}: ${why}`, { cause });
  if (!hasRoom(message.gasLimit, left))
    throw invalid(`a gas limit of ${message.gasLimit}, with ${left.gasLeft} left in the block`);
  try {
    return beginMessage(machine, message, OF_A_TRANSACTION, hooks);
  } catch (error) {
    throw error instanceof Inapplicable ? invalid(error.message, error) : error;
  }
}

/** EIP-7002, EIP-7251, EIP-8282. */
function collected(machine: MachineOptions): readonly Uint8Array[] {
  try {
    return findRequests(machine) ?? [];
  } catch (error) {
    throw error instanceof MissingSystemContract ? new InvalidBlock(error.found, { cause: error }) : error;
  }
}

function deposits(receipts: readonly StoredReceipt[], { fork }: MachineOptions, contract: Address) {
  if (!includes(fork, 'prague')) return [];
  const request = depositRequest(
    receipts.flatMap(({ logs }) => logs),
    contract,
  );
  return request === undefined ? [] : [request];
}

interface Made {
  readonly receipts: readonly StoredReceipt[];
  readonly requests: readonly Uint8Array[];
  readonly stateRoot: Hash;
  readonly gasUsed: bigint;
}

function compare(header: Header, { receipts, requests, stateRoot, gasUsed }: Made): void {
  const encoded = receipts.map(encodeReceipt);
  if (header.requestsHash !== undefined) expect('requests hash', header.requestsHash, requestsHash(requests));
  expect('receipts root', header.receiptsRoot, orderedRoot(encoded.map(({ bytes }) => bytes)));
  expect('logs bloom', header.logsBloom, bytesToHex(joinBlooms(encoded.map(({ bloom }) => bloom))));
  expect('gas used', header.gasUsed, gasUsed);
  expect('state root', header.stateRoot, stateRoot);
}
