import type { StateWriter } from '@switchyard/machine';
import type { BlockMetadata, Deposit } from '@switchyard/protocol';
import type { CreditedDeposit } from './commits.ts';
import { cutText } from './cut-text.ts';
import { writeEvents } from './event-rows.ts';
import type { BlockOutcome } from './execute-block.ts';
import { writeReceipts } from './outcomes.ts';
import { putBlock, type StoredBlock } from './stored-blocks.ts';
import { blockNumbers, depositCount, depositRows, refusalRows, skippedDeposits } from './tables.ts';
import { countUncredited } from './withdrawals.ts';

const MAX_TEXT_LENGTH = 300;

/** Writes all rows that any rollup keeps about a block. */
export function storeBlock(
  state: StateWriter,
  number: bigint,
  block: StoredBlock,
  outcome: BlockOutcome,
  digest?: Uint8Array,
): void {
  putBlock(state, number, block, digest);
  blockNumbers.put(state, block.hash, number);
  writeReceipts(state, number, outcome.encodedReceipts);
  writeEvents(state, number, outcome.encodedEvents);
  if (outcome.refusals.length > 0) refusalRows.put(state, number, outcome.refusals);
  writeDeposits(state, number, outcome);
}

export function toMetadata(number: bigint, block: StoredBlock): BlockMetadata {
  return {
    number,
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: { seconds: block.seconds, nanos: block.nanos },
    sequencerBlockHash: number === 0n ? '' : block.sequencerBlockHash,
  };
}

function writeDeposits(state: StateWriter, block: bigint, { credited, skipped }: BlockOutcome): void {
  if (credited.length + skipped.length === 0) return;
  let id = depositCount.get(state) ?? 0n;
  for (const { deposit, account, message = '' } of credited) {
    depositRows.put(state, id, { ...depositFacts(block, deposit), account, message });
    id += 1n;
  }
  for (const { deposit, message } of skipped) {
    depositRows.put(state, id, { ...depositFacts(block, deposit), account: '', message });
    skippedDeposits.put(state, id, new Uint8Array());
    countUncredited(state, deposit.bridge.account, deposit.amount);
    id += 1n;
  }
  depositCount.put(state, id);
}

/** Hooks see no more of a deposit than is kept of it, so that they can be run again. */
export function depositAsKept(credited: CreditedDeposit): CreditedDeposit {
  const { deposit } = credited;
  return { ...credited, deposit: { ...deposit, destination: cutText(deposit.destination, MAX_TEXT_LENGTH) } };
}

function depositFacts(block: bigint, deposit: Deposit) {
  return {
    block,
    bridge: deposit.bridge.account,
    bridgePrefix: deposit.bridge.prefix,
    amount: deposit.amount,
    asset: deposit.asset,
    destination: cutText(deposit.destination, MAX_TEXT_LENGTH),
    sourceTransaction: deposit.sourceTransaction,
    sourceAction: deposit.sourceAction,
  };
}
