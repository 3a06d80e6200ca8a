import type { Read } from '@switchyard/service/input';
import { bool, list } from '@switchyard/service/input';
import type { SimulatedBlock, SimulatePayload } from '../../simulate/simulate-chain.ts';
import type { CallRequest } from '../../simulate/simulator.ts';
import { serverError } from '../errors.ts';
import { objectOf } from '../params.ts';
import { blockOverrides, callRequest, stateOverrides } from './request.ts';

/** go-ethereum's limit; blocks that are left out between others count too. */
const MAX_BLOCKS = 256;
const MAX_CALLS = 5_000;

const calls: Read<readonly CallRequest[]> = list(callRequest, MAX_CALLS);
const block: Read<SimulatedBlock> = objectOf({ blockOverrides, stateOverrides, calls });

const fields = objectOf({
  blockStateCalls: list(block, 2 * MAX_BLOCKS),
  traceTransfers: bool,
  validation: bool,
  returnFullTransactions: bool,
});

/** Parameter of `eth_simulateV1`. */
export const simulatePayload: Read<SimulatePayload> = (input) => {
  const { blockStateCalls = [], ...options } = fields(input);
  if (blockStateCalls.length === 0) throw serverError('empty input');
  return { blockStateCalls, ...options };
};
