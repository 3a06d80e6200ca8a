import type { Header } from '@switchyard/evm-machine/types';
import { ZERO_HASH } from '@switchyard/protocol/ethereum';
import { rpcError } from '../json/errors.ts';
import type { simulatedBlock, simulatePayload } from './simulate-request.ts';
import type { BlockOverrides, CallRequest, StateOverrides } from './simulator.ts';

export type SimulatePayload = ReturnType<typeof simulatePayload>;
type SimulatedBlock = ReturnType<typeof simulatedBlock>;

/** A block with its place in the chain. */
export interface PlacedBlock {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly overrides: BlockOverrides;
  readonly stateOverrides: StateOverrides | undefined;
  readonly calls: readonly CallRequest[];
}

/** Codes of go-ethereum. */
const BLOCK_NUMBER = -38_020;
const BLOCK_TIMESTAMP = -38_021;
const TOO_MANY = -38_026;

const MAX_BLOCKS = 256n;
/** Seconds between blocks that give no time. */
const BLOCK_TIME = 12n;
const MAX_TIME = 2n ** 64n - 1n;

/**
 * Gives each block its number and time. Numbers that are left out become empty blocks.
 *
 * @throws {JsonRpcError} for blocks that are not in order, or too many.
 */
export function placeBlocks(base: Header, blocks: readonly SimulatedBlock[]): readonly PlacedBlock[] {
  const placed: PlacedBlock[] = [];
  let { number, timestamp } = base;
  const place = (block: SimulatedBlock): void => {
    const { blockOverrides: overrides = {}, stateOverrides, calls = [] } = block;
    placed.push({ number, timestamp, overrides, stateOverrides, calls });
  };
  for (const block of blocks) {
    const wanted = block.blockOverrides?.number ?? number + 1n;
    if (wanted <= number) throw rpcError(BLOCK_NUMBER, `block numbers must be in order: ${wanted} <= ${number}`);
    if (wanted - base.number > MAX_BLOCKS) throw rpcError(TOO_MANY, 'too many blocks');
    while (number + 1n < wanted) {
      number += 1n;
      timestamp += BLOCK_TIME;
      place({});
    }
    const time = block.blockOverrides?.time ?? timestamp + BLOCK_TIME;
    if (time <= timestamp)
      throw rpcError(BLOCK_TIMESTAMP, `block timestamps must be in order: ${time} <= ${timestamp}`);
    if (time > MAX_TIME) throw rpcError(BLOCK_TIMESTAMP, `block timestamp ${time} does not fit 64 bits`);
    number = wanted;
    timestamp = time;
    place(block);
  }
  return placed;
}

/** Members that a header takes from the one before it and from overrides, before anything is run. */
export function inheritedHeader(parent: Header, { number, timestamp, overrides }: PlacedBlock) {
  return {
    number,
    timestamp,
    coinbase: overrides.feeRecipient ?? parent.coinbase,
    difficulty: parent.difficulty,
    gasLimit: overrides.gasLimit ?? parent.gasLimit,
    mixHash: overrides.prevRandao ?? ZERO_HASH,
  };
}
