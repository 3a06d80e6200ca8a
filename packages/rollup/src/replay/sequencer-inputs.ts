import type { SequencerClient } from '@switchyard/client';
import { verifyFilteredBlock } from '@switchyard/protocol';
import { errorLine } from '@switchyard/service';
import { blockInput } from '../app/block-input.ts';
import type { RollupGenesis } from '../app/genesis.ts';
import type { BlockInput } from '../execution/executor.ts';

/** Blocks requested before they are needed. */
const AHEAD = 16n;

/**
 * Inputs of blocks, from a sequencer: nodes do not keep them. Proofs tie the data to the header of its block; that the rollup was made from
 * this block is shown by its input digest.
 *
 * @param to The last block that will be requested; requests are in order.
 */
export function sequencerInputs(
  client: Pick<SequencerClient, 'filteredBlock'>,
  { rollup, sequencerGenesisBlockHeight }: RollupGenesis,
  to: bigint,
): (number: bigint) => Promise<BlockInput> {
  const wanted = new Map<bigint, Promise<BlockInput>>();
  const ask = async (number: bigint): Promise<BlockInput> => {
    const height = sequencerGenesisBlockHeight + number;
    try {
      const block = await client.filteredBlock(height, rollup);
      verifyFilteredBlock(block, [rollup]);
      return blockInput(block, rollup);
    } catch (error) {
      const needs = `it has to run, and to have all blocks from ${sequencerGenesisBlockHeight + 1n} on`;
      throw new Error(`block ${height} of the sequencer cannot be read: ${errorLine(error)}: ${needs}`, {
        cause: error,
      });
    }
  };
  return (number) => {
    for (let next = number; next <= to && next < number + AHEAD; next += 1n) {
      if (wanted.has(next)) continue;
      const input = ask(next);
      // It fails when its turn comes.
      input.catch(() => undefined);
      wanted.set(next, input);
    }
    const input = wanted.get(number) ?? ask(number);
    wanted.delete(number);
    return input;
  };
}
