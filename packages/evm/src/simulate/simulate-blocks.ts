import { StateOverlay } from '@switchyard/evm-machine/overlay';
import { headerNotFound } from '../json/errors.ts';
import { blockJson } from '../json/format.ts';
import type { EvmSimulator } from './evm-simulator.ts';
import { placeBlocks, type SimulatePayload } from './simulate-chain.ts';
import { SimulatedChain } from './simulated-block.ts';

/** Runs blocks of calls on top of a block, as if they were a chain. */
export async function simulateBlocks(simulator: EvmSimulator, payload: SimulatePayload, on: bigint): Promise<unknown> {
  const { chain } = simulator.deps;
  const base = chain.header(on);
  if (base === undefined) throw headerNotFound();
  const blocks = placeBlocks(base.header, payload.blockStateCalls);
  return simulator.bounded((watch) => {
    const simulated = new SimulatedChain(simulator, base, new StateOverlay(chain.state(on)), payload, watch);
    const answers: unknown[] = [];
    for (const block of blocks) {
      const { stored, calls } = simulated.add(block);
      answers.push({ ...blockJson(stored, payload.returnFullTransactions === true), calls });
    }
    return answers;
  });
}
