import { encodeAccessList, hashOfAccessList } from '@switchyard/evm-machine/access-lists';
import { AccessRecorder } from '@switchyard/evm-machine/access-lists/recorder';
import { createdAddress } from '@switchyard/evm-machine/created-address';
import { includes } from '@switchyard/evm-machine/fork';
import type { StateWriter } from '@switchyard/evm-machine/state';
import type { Address, Hash, Header } from '@switchyard/evm-machine/types';
import { bytesToHex, ZERO_ADDRESS, ZERO_HASH } from '@switchyard/protocol/ethereum';
import type { BlockInput } from '@switchyard/rollup/execution';
import { sizeOfBlock, sizeOfWithdrawals, withdrawalsRoot } from '../blocks/block.ts';
import { joinBlooms } from '../blocks/bloom.ts';
import { hashHeader, toHeader } from '../blocks/header.ts';
import { orderedRoot } from '../blocks/ordered-root.ts';
import { encodeReceipt } from '../blocks/receipt.ts';
import { requestsHash } from '../blocks/requests.ts';
import type { IncludedTransaction, InternalCall, RefusedEntry, StoredReceipt } from '../chain/chain.ts';
import type { NewBlock } from '../chain/store.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import { BlockGas } from '../rules/block-gas.ts';
import { forkAt } from '../rules/forks.ts';
import { readyMachine } from '../rules/ready.ts';
import {
  bytesForTransactions,
  bytesInBlock,
  type Credited,
  depositsToWithdrawals,
  gasForTransactions,
  nextBaseFee,
  nextTimestamp,
} from '../rules/rules.ts';
import type { Senders } from '../senders/senders.ts';
import { credit } from '../transactions/accounts.ts';
import type { Refusal } from '../transactions/refusals.ts';
import { type ApplyContext, applyTransaction, type Outcome } from './apply.ts';
import { type Candidate, refusedDeposit, refusedTransaction, sortEntries } from './entries.ts';
import { type BlockEnvironment, machineOn } from './environment.ts';
import { beforeTransactions, findRequests } from './system-calls.ts';

/** Facts about the parent that a block is built on. */
export interface Parent {
  readonly hash: Hash;
  readonly header: Header;
  readonly nextWithdrawalIndex: bigint;
  /** Wei below a gwei that a recipient of deposits is owed. */
  getRemainder(recipient: Address): bigint;
  /** Hash of the parent or of a block before it. */
  findHash(number: bigint): Hash | undefined;
}

export interface BuildContext {
  readonly genesis: EvmGenesis;
  readonly senders: Senders;
  /** The state after the parent; gets that after the block. */
  readonly state: StateWriter;
  /** The root of the present content of `state`. */
  readonly stateRoot: () => Hash;
  /** False: everything is interpreted, which gives the same block. */
  readonly direct: boolean;
  /** In place of the values that follow from the parent and the genesis; for chains that have no sequencer. */
  readonly replaced?: Partial<
    Pick<BlockEnvironment, 'baseFeePerGas' | 'coinbase' | 'gasLimit' | 'prevRandao' | 'maxCodeBytes'>
  >;
  /** Contracts that may send (against EIP-3607); for chains of tests. */
  readonly maySend?: (contract: Address) => boolean;
  /** See `ApplyContext`. */
  readonly follow?: ApplyContext['follow'];
}

/** Makes the block that follows `parent` from a sequencer block. Depends on nothing but these. Waits for nothing but senders. */
export async function buildBlock(parent: Parent, input: BlockInput, context: BuildContext): Promise<NewBlock> {
  const { genesis, senders, state, direct, maySend, follow } = context;
  const block = { ...toEnvironment(parent, input, genesis), ...context.replaced };
  const { fork, gasLimit, maxCodeBytes } = block;
  const sorted = await sortEntries(input.entries, { ...genesis, gasLimit, fork, maxCodeBytes }, senders);
  const { nextWithdrawalIndex: firstIndex } = parent;
  const getRemainder = (recipient: Address) => parent.getRemainder(recipient);
  const credited = depositsToWithdrawals(sorted.deposits, { bridges: genesis.bridges, getRemainder, firstIndex });
  const recorder = includes(fork, 'amsterdam') ? new AccessRecorder() : undefined;
  await readyMachine();
  const machine = machineOn(block, { chainId: genesis.chainId, state, direct, recorder });
  beforeTransactions(machine, block);
  const bytesLeft = bytesForTransactions(fork, sizeOfWithdrawals(credited.withdrawals));
  const gas = new BlockGas(fork, gasForTransactions(fork, gasLimit, credited.withdrawals));
  const { gasLeft, stateGasLeft } = gas;
  // One object for all of them: copies took a fifth of a transfer's time.
  const left = { ...machine, gasLeft, stateGasLeft, bytesLeft, maySend, follow };
  const executed = new Executed(sorted.refused, gas);
  for (const candidate of sorted.candidates) {
    if (recorder !== undefined) recorder.index = executed.transactions.length + 1;
    left.gasLeft = gas.gasLeft;
    left.stateGasLeft = gas.stateGasLeft;
    const outcome = applyTransaction(candidate.tx, candidate.from, left);
    if (executed.add(candidate, outcome)) left.bytesLeft -= bytesInBlock(candidate.tx);
  }
  if (recorder !== undefined) recorder.index = executed.transactions.length + 1;
  for (const { address, amount } of credited.withdrawals) credit(state, address, amount * WEI_PER_GWEI, recorder);
  const requests = findRequests(machine);
  const accessList = recorder && encodeAccessList(recorder.list());
  return sealBlock(parent, input, { ...block, requests, accessList }, executed, credited, context);
}

const WEI_PER_GWEI = 1_000_000_000n;

/** Environment of the block after `parent`, regardless of its content. */
export function toEnvironment(parent: Parent, input: BlockInput, genesis: EvmGenesis): BlockEnvironment {
  const number = parent.header.number + 1n;
  const timestamp = nextTimestamp(input.timestamp.seconds, parent.header.timestamp);
  return {
    fork: forkAt(genesis.forks, timestamp),
    number,
    timestamp,
    baseFeePerGas: nextBaseFee(parent.header),
    // There are no blobs: the least price of a unit of their gas.
    blobBaseFee: 1n,
    difficulty: 0n,
    prevRandao: ZERO_HASH,
    gasLimit: genesis.gasLimit,
    coinbase: feeRecipientAt(genesis, number),
    parentBeaconBlockRoot: `0x${input.sequencerBlockHash}`,
    parentHash: parent.hash,
    blockHash: (ancestor) => parent.findHash(ancestor),
    // A rollup has no slots of a beacon chain: each of its blocks is made from one height of the sequencer.
    slotNumber: genesis.sequencer.startHeight + number - 1n,
  };
}

/** Recipient of a block's tips; the zero address if none is set. */
export function feeRecipientAt({ feeRecipients }: Pick<EvmGenesis, 'feeRecipients'>, number: bigint): Address {
  return feeRecipients.findLast(({ from }) => from <= number)?.recipient ?? ZERO_ADDRESS;
}

/** Results of the block's transactions so far. */
class Executed {
  /** Gas that the transactions pay for. */
  gasUsed = 0n;
  readonly gas: BlockGas;
  readonly transactions: IncludedTransaction[] = [];
  readonly receipts: StoredReceipt[] = [];
  readonly internal: (readonly InternalCall[] | undefined)[] = [];
  readonly refused: RefusedEntry[];

  constructor(refused: readonly RefusedEntry[], gas: BlockGas) {
    this.gas = gas;
    this.refused = [...refused];
  }

  /** @returns whether the transaction is in the block. */
  add({ entry, tx, from }: Candidate, outcome: Outcome | Refusal): boolean {
    if ('code' in outcome) {
      this.refused.push(refusedTransaction(entry, tx.hash, from, outcome));
      return false;
    }
    const { status, gasUsed, blockGas, effectiveGasPrice, logs, internal }: Outcome = outcome;
    this.gasUsed += gasUsed;
    this.gas.add(blockGas);
    this.transactions.push({ hash: tx.hash, from, raw: tx.raw });
    this.internal.push(internal);
    this.receipts.push({
      type: tx.type,
      status,
      gasUsed,
      cumulativeGasUsed: this.gasUsed,
      effectiveGasPrice,
      contractAddress: tx.to === undefined ? createdAddress(from, tx.nonce) : undefined,
      logs,
    });
    return true;
  }
}

/** Parts of a block that are found after its last transaction. */
interface Made {
  readonly requests: readonly Uint8Array[] | undefined;
  /** EIP-7928. */
  readonly accessList: Uint8Array | undefined;
}

function sealBlock(
  parent: Parent,
  input: BlockInput,
  block: BlockEnvironment & Made,
  { gas, transactions, receipts, internal, refused }: Executed,
  { withdrawals, sums, remainders, refused: refusedDeposits }: Credited,
  { genesis, stateRoot }: BuildContext,
): NewBlock {
  const raws = transactions.map(({ raw }) => raw);
  const encoded = receipts.map(encodeReceipt);
  const { fork, coinbase, number, gasLimit, timestamp, parentBeaconBlockRoot, slotNumber } = block;
  const header = toHeader(fork, {
    ...{ parentHash: parent.hash, coinbase, number, gasLimit, timestamp, parentBeaconBlockRoot, slotNumber },
    stateRoot: stateRoot(),
    transactionsRoot: orderedRoot(raws),
    receiptsRoot: orderedRoot(encoded.map(({ bytes }) => bytes)),
    logsBloom: bytesToHex(joinBlooms(encoded.map(({ bloom }) => bloom))),
    gasUsed: gas.used,
    extraData: genesis.extraData,
    mixHash: block.prevRandao,
    baseFeePerGas: block.baseFeePerGas,
    withdrawalsRoot: withdrawalsRoot(withdrawals),
    requestsHash: block.requests && requestsHash(block.requests),
    blockAccessListHash: block.accessList && hashOfAccessList(block.accessList),
  });
  const size = sizeOfBlock(header, raws, withdrawals);
  const all = [...refused, ...refusedDeposits.map(refusedDeposit)].sort((left, right) => left.entry - right.entry);
  return {
    block: { hash: hashHeader(header), header, transactions, withdrawals, size },
    receipts,
    internal,
    refused: all,
    origin: { sequencerBlockHash: input.sequencerBlockHash, timestamp: input.timestamp },
    remainders,
    deposits: sums,
    ...(block.requests === undefined ? {} : { requests: block.requests }),
    ...(block.accessList === undefined ? {} : { accessList: block.accessList }),
    nextWithdrawalIndex: parent.nextWithdrawalIndex + BigInt(withdrawals.length),
  };
}
