import { type Block, createBlockFromRLP } from '@ethereumjs/block';
import { Hardfork } from '@ethereumjs/common';
import { joinBlooms } from '../../blocks/bloom.ts';
import { headerFromItems } from '../../blocks/header.ts';
import { orderedRoot } from '../../blocks/ordered-root.ts';
import { encodeReceipt } from '../../blocks/receipt.ts';
import { requestsHash } from '../../blocks/requests.ts';
import { decodeRlp, InvalidRlp, listOf } from '../../blocks/rlp.ts';
import type { IncludedTransaction, InternalCall, StoredBlock, StoredReceipt } from '../../chain/chain.ts';
import { credit } from '../../embedded/accounts.ts';
import { hexOf } from '../../hex.ts';
import { execute } from '../../interpreter/execute.ts';
import { includes } from '../../interpreter/fork.ts';
import { InternalCalls } from '../../interpreter/internal-calls.ts';
import { runInTurns } from '../../interpreter/turns.ts';
import type { Pause } from '../../pause.ts';
import { readyPrecompiles } from '../../precompiles/contract.ts';
import { checkMessage, Inapplicable, OF_A_TRANSACTION } from '../../simulate/checks.ts';
import { environmentOf } from '../../simulate/environment.ts';
import type { EvmMessage } from '../../simulate/evm-message.ts';
import { includedMessage } from '../../simulate/included.ts';
import type { Machine } from '../../simulate/machine.ts';
import type { StateOverlay } from '../../state/overlay.ts';
import { endOfBlockCalls, payMiner, systemCalls } from '../../trace/system-calls.ts';
import type { Address, Hash, Header } from '../../types.ts';
import { drainDao } from './dao.ts';
import { depositRequest } from './deposits.ts';
import type { LibraryRules } from './genesis.ts';
import { blockRules } from './rules.ts';
import { expect, InvalidBlock, messageOf } from './validate.ts';

export interface DecodedBlock {
  readonly header: Header;
  readonly block: Block;
  readonly uncles: readonly Header[];
}

/** @throws {InvalidBlock} for bytes that are no block of the chain's rules. */
export function decodeBlock(bytes: Uint8Array, rules: LibraryRules): DecodedBlock {
  try {
    const [headerItems, , uncles] = listOf(decodeRlp(bytes));
    const header = headerFromItems(listOf(headerItems));
    const block = createBlockFromRLP(bytes, { common: rules(header.number, header.timestamp) });
    return { header, block, uncles: listOf(uncles).map((uncle) => headerFromItems(listOf(uncle))) };
  } catch (error) {
    if (error instanceof InvalidRlp) throw new InvalidBlock(error.message, { cause: error });
    throw new InvalidBlock(messageOf(error), { cause: error });
  }
}

export interface ExecutedArchiveBlock {
  readonly block: StoredBlock;
  readonly receipts: readonly StoredReceipt[];
  readonly internal: readonly (readonly InternalCall[] | undefined)[];
}

export interface RunOptions {
  /** Of a block before the one that runs. */
  readonly hashOf: (number: bigint) => Hash | undefined;
  /** EIP-6110. */
  readonly depositContract: Address;
  /** Of what the state holds now. */
  readonly root: () => Hash;
  readonly pause: Pause;
}

/**
 * Executes a block and compares all that its header commits to: roots of state, receipts and requests, logs and gas.
 *
 * @throws {InvalidBlock}
 */
export async function runBlock(
  decoded: DecodedBlock,
  state: StateOverlay,
  options: RunOptions,
): Promise<ExecutedArchiveBlock> {
  await readyPrecompiles();
  const { header, uncles } = decoded;
  const block = storedBlock(decoded);
  const rules = blockRules(decoded.block.common);
  const machine: Machine = {
    fork: rules.fork,
    chainId: rules.chainId,
    state,
    block: environmentOf(header, rules),
    blockHash: options.hashOf,
    pause: options.pause,
  };
  if (decoded.block.common.hardforkBlock(Hardfork.Dao) === header.number) drainDao(state);
  await systemCalls(machine, header);
  const { receipts, internal } = await runTransactions(block, machine, options.root);
  for (const { address, amount } of block.withdrawals) credit(state, address, amount * WEI_PER_GWEI);
  payMiner(machine, uncles);
  const requests = [...deposits(receipts, machine, options.depositContract), ...(await endOfBlockCalls(machine))];
  compare(header, receipts, requests, options.root());
  return { block, receipts, internal };
}

const WEI_PER_GWEI = 1_000_000_000n;

async function runTransactions(
  { header, transactions }: StoredBlock,
  machine: Machine,
  root: () => Hash,
): Promise<Pick<ExecutedArchiveBlock, 'receipts' | 'internal'>> {
  const receipts: StoredReceipt[] = [];
  const internal: (readonly InternalCall[] | undefined)[] = [];
  let cumulativeGasUsed = 0n;
  for (const [index, transaction] of transactions.entries()) {
    const message = includedMessage(transaction, header.baseFeePerGas);
    check(machine, message, index, header.gasLimit - cumulativeGasUsed);
    const hooks = new InternalCalls();
    const execution = execute({ ...machine, hooks }, { ...message, blobHashes: message.blobs?.hashes });
    const { failure, gasUsed, created, logs } = await runInTurns(execution, machine);
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
  return { receipts, internal };
}

/** EIP-2718: what begins like a list has no type. */
function typeOf({ raw: [first = 0] }: IncludedTransaction): number {
  return first < 0xc0 ? first : 0;
}

function check(machine: Machine, message: EvmMessage, index: number, gasLeft: bigint): void {
  const invalid = (why: string, cause?: unknown) => new InvalidBlock(`transaction ${index}: ${why}`, { cause });
  if (message.gasLimit > gasLeft)
    throw invalid(`a gas limit of ${message.gasLimit}, with ${gasLeft} left in the block`);
  try {
    checkMessage(machine, message, OF_A_TRANSACTION);
  } catch (error) {
    throw error instanceof Inapplicable ? invalid(error.message, error) : error;
  }
}

function deposits(receipts: readonly StoredReceipt[], { fork }: Machine, contract: Address): readonly Uint8Array[] {
  if (!includes(fork, 'prague')) return [];
  const request = depositRequest(
    receipts.flatMap(({ logs }) => logs),
    contract,
  );
  return request === undefined ? [] : [request];
}

function compare(
  header: Header,
  receipts: readonly StoredReceipt[],
  requests: readonly Uint8Array[],
  stateRoot: Hash,
): void {
  const encoded = receipts.map(encodeReceipt);
  if (header.requestsHash !== undefined) expect('requests hash', header.requestsHash, requestsHash(requests));
  expect('receipts root', header.receiptsRoot, orderedRoot(encoded.map(({ bytes }) => bytes)));
  expect('logs bloom', header.logsBloom, hexOf(joinBlooms(encoded.map(({ bloom }) => bloom))));
  expect('gas used', header.gasUsed, receipts.at(-1)?.cumulativeGasUsed ?? 0n);
  expect('state root', header.stateRoot, stateRoot);
}

function storedBlock({ block, header, uncles }: DecodedBlock): StoredBlock {
  return {
    hash: hexOf(block.hash()),
    header,
    transactions: block.transactions.map((tx): IncludedTransaction => {
      return { hash: hexOf(tx.hash()), from: hexOf(tx.getSenderAddress().bytes), raw: tx.serialize() };
    }),
    withdrawals: (block.withdrawals ?? []).map(({ index, validatorIndex, address, amount }) => {
      return { index, validatorIndex, address: hexOf(address.bytes), amount };
    }),
    ...(uncles.length === 0 ? {} : { uncles }),
    size: block.serialize().length,
  };
}
