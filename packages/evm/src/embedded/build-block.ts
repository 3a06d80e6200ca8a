import type { BlockInput } from '@switchyard/rollup';
import { sizeOfBlock, withdrawalsRoot } from '../blocks/block.ts';
import { joinBlooms } from '../blocks/bloom.ts';
import { EMPTY_UNCLES, hashHeader } from '../blocks/header.ts';
import { EMPTY_ROOT, orderedRoot } from '../blocks/ordered-root.ts';
import { encodeReceipt } from '../blocks/receipt.ts';
import { encodeRlp } from '../blocks/rlp.ts';
import type { IncludedTransaction, InternalCall, RefusedEntry, StoredReceipt } from '../chain/chain.ts';
import type { NewBlock } from '../chain/store.ts';
import type { EvmGenesis } from '../genesis.ts';
import { hexOf, ZERO_ADDRESS, ZERO_HASH } from '../hex.ts';
import type { Fork } from '../interpreter/fork.ts';
import { keccak256 } from '../keccak.ts';
import { type Pause, pauseEvery, TURN_MS } from '../pause.ts';
import { readyPrecompiles } from '../precompiles/contract.ts';
import { type Credited, depositsToWithdrawals, nextBaseFee, nextTimestamp } from '../rules.ts';
import type { Senders } from '../senders/senders.ts';
import type { StateWriter } from '../state/state.ts';
import type { Address, Hash, Header } from '../types.ts';
import { credit } from './accounts.ts';
import { applyTransaction } from './apply.ts';
import { storeBeaconRoot } from './beacon-roots.ts';
import { type Candidate, refusedDeposit, refusedTransaction, sortEntries } from './entries.ts';
import type { BlockEnvironment } from './environment.ts';
import type { Outcome } from './outcome.ts';

/** What a block is built on. */
export interface Parent {
  readonly hash: Hash;
  readonly header: Header;
  readonly nextWithdrawalIndex: bigint;
  /** Wei below a gwei that a recipient of deposits is owed. */
  remainderOf(recipient: Address): bigint;
  /** Of the parent or a block before it. */
  hashOf(number: bigint): Hash | undefined;
}

export interface BuildContext {
  readonly genesis: EvmGenesis;
  readonly fork: Fork;
  readonly senders: Senders;
  /** The state after the parent; gets that after the block. */
  readonly state: StateWriter;
  /** The root of what `state` holds now. */
  readonly stateRoot: () => Hash;
  /** False: everything is interpreted, which gives the same block. */
  readonly direct: boolean;
  /** Lets others of the process have their turn. */
  readonly pause?: Pause;
}

/** Makes the block that follows `parent` from a sequencer block. Depends on nothing but these. */
export async function buildBlock(parent: Parent, input: BlockInput, context: BuildContext): Promise<NewBlock> {
  const { genesis, senders, state, fork, direct, pause = pauseEvery(TURN_MS) } = context;
  const sorted = await sortEntries(input.entries, { chainId: genesis.chainId, gasLimit: genesis.gasLimit }, senders);
  const block = environmentOf(parent, input, genesis);
  const applying = { fork, chainId: genesis.chainId, state, block, pause, direct };
  await readyPrecompiles();
  await storeBeaconRoot(applying);
  const executed = new Executed(sorted.refused);
  for (const candidate of sorted.candidates) {
    const pausing = pause();
    if (pausing !== undefined) await pausing;
    const gasLeft = block.gasLimit - executed.gasUsed;
    const outcome = applyTransaction(candidate.tx, candidate.from, { ...applying, gasLeft });
    executed.add(candidate, outcome instanceof Promise ? await outcome : outcome);
  }
  const { nextWithdrawalIndex: firstIndex } = parent;
  const remainderOf = (recipient: Address) => parent.remainderOf(recipient);
  const credited = depositsToWithdrawals(sorted.deposits, { bridges: genesis.bridges, remainderOf, firstIndex });
  for (const { address, amount } of credited.withdrawals) credit(state, address, amount * WEI_PER_GWEI);
  return sealBlock(parent, input, block, executed, credited, context);
}

const WEI_PER_GWEI = 1_000_000_000n;

/** What the block after `parent` is, whatever it holds. */
export function environmentOf(parent: Parent, input: BlockInput, genesis: EvmGenesis): BlockEnvironment {
  const number = parent.header.number + 1n;
  return {
    number,
    timestamp: nextTimestamp(input.timestamp.seconds, parent.header.timestamp),
    baseFee: nextBaseFee(parent.header),
    gasLimit: genesis.gasLimit,
    coinbase: feeRecipientAt(genesis, number),
    parentBeaconBlockRoot: `0x${input.sequencerBlockHash}`,
    blockHash: (ancestor) => parent.hashOf(ancestor),
  };
}

/** Who gets the tips of a block. */
export function feeRecipientAt({ feeRecipients }: Pick<EvmGenesis, 'feeRecipients'>, number: bigint): Address {
  return feeRecipients.findLast(({ from }) => from <= number)?.recipient ?? ZERO_ADDRESS;
}

/** What the transactions of a block came to so far. */
class Executed {
  gasUsed = 0n;
  readonly transactions: IncludedTransaction[] = [];
  readonly receipts: StoredReceipt[] = [];
  readonly internal: (readonly InternalCall[] | undefined)[] = [];
  readonly refused: RefusedEntry[];

  constructor(refused: readonly RefusedEntry[]) {
    this.refused = [...refused];
  }

  add({ entry, tx, from }: Candidate, outcome: Awaited<ReturnType<typeof applyTransaction>>): void {
    if ('code' in outcome) {
      this.refused.push(refusedTransaction(entry, tx.hash, from, outcome));
      return;
    }
    const { status, gasUsed, effectiveGasPrice, logs, internal }: Outcome = outcome;
    this.gasUsed += gasUsed;
    this.transactions.push({ hash: tx.hash, from, raw: tx.raw });
    this.internal.push(internal);
    this.receipts.push({
      type: tx.type,
      status,
      gasUsed,
      cumulativeGasUsed: this.gasUsed,
      effectiveGasPrice,
      contractAddress: tx.to === undefined ? contractAddress(from, tx.nonce) : undefined,
      logs,
    });
  }
}

/** Of the contract that a transaction creates (Yellow Paper, 7). */
export function contractAddress(from: Address, nonce: bigint): Address {
  return hexOf(keccak256(encodeRlp([from, nonce])).subarray(12));
}

function sealBlock(
  parent: Parent,
  input: BlockInput,
  block: BlockEnvironment,
  { gasUsed, transactions, receipts, internal, refused }: Executed,
  { withdrawals, remainders, refused: refusedDeposits }: Credited,
  { genesis, stateRoot }: BuildContext,
): NewBlock {
  const raws = transactions.map(({ raw }) => raw);
  const encoded = receipts.map(encodeReceipt);
  const header: Header = {
    parentHash: parent.hash,
    uncleHash: EMPTY_UNCLES,
    coinbase: block.coinbase,
    stateRoot: stateRoot(),
    transactionsRoot: orderedRoot(raws),
    receiptsRoot: orderedRoot(encoded.map(({ bytes }) => bytes)),
    logsBloom: hexOf(joinBlooms(encoded.map(({ bloom }) => bloom))),
    difficulty: 0n,
    number: block.number,
    gasLimit: block.gasLimit,
    gasUsed,
    timestamp: block.timestamp,
    extraData: genesis.extraData,
    mixHash: ZERO_HASH,
    nonce: '0x0000000000000000',
    baseFeePerGas: block.baseFee,
    withdrawalsRoot: withdrawals.length === 0 ? EMPTY_ROOT : withdrawalsRoot(withdrawals),
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: block.parentBeaconBlockRoot,
    requestsHash: undefined,
  };
  const size = sizeOfBlock(header, raws, withdrawals);
  const all = [...refused, ...refusedDeposits.map(refusedDeposit)].sort((left, right) => left.entry - right.entry);
  return {
    block: { hash: hashHeader(header), header, transactions, withdrawals, size },
    receipts,
    internal,
    refused: all,
    origin: { sequencerBlockHash: input.sequencerBlockHash, timestamp: input.timestamp },
    remainders,
    nextWithdrawalIndex: parent.nextWithdrawalIndex + BigInt(withdrawals.length),
  };
}
