import { bool, type Input, list } from '@switchyard/service/input';
import { serverError } from '../json/errors.ts';
import { getObject } from '../json/params.ts';
import { blockOverrides, callRequest, stateOverrides } from './call-request.ts';

/** go-ethereum's limit; blocks that are left out between others count too. */
const MAX_BLOCKS = 256;
const MAX_CALLS = 5_000;

export const simulatedBlock = getObject({ blockOverrides, stateOverrides, calls: list(callRequest, MAX_CALLS) });

const fields = getObject({
  blockStateCalls: list(simulatedBlock, 2 * MAX_BLOCKS),
  /** Logs for movements of the native coin too. */
  traceTransfers: bool,
  /** Whether calls must meet the rules of transactions: nonces, and fees above the base fee. */
  validation: bool,
  returnFullTransactions: bool,
});

/** Parameter of `eth_simulateV1`. */
export const simulatePayload = (input: Input) => {
  const { blockStateCalls = [], ...options } = fields(input);
  if (blockStateCalls.length === 0) throw serverError('empty input');
  return { blockStateCalls, ...options };
};
