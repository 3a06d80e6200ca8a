import { getPrecompiles } from '@switchyard/evm-machine/precompiles';
import type { Address, Data } from '@switchyard/evm-machine/types';
import { ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import { type Input, optional } from '@switchyard/service/input';
import type { InternalCall } from '../chain/chain.ts';
import { address, data, quantity } from './response.ts';

/** One call of a transaction, as geth's callTracer reports it. */
export interface Frame {
  readonly type: string;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint | undefined;
  readonly input: Data;
  readonly output: Data;
  readonly failed: boolean;
  readonly calls: readonly Frame[];
}

/** A depth that the EVM does not exceed. */
const MAX_DEPTH = 1_100;

export function frame(json: Input, depth = 0): Frame {
  return {
    type: json.at('type').text(),
    from: address(json.at('from')),
    to: optional(address, ZERO_ADDRESS)(json.at('to')),
    value: json.at('value').optional(quantity),
    input: optional(data, '0x')(json.at('input')),
    output: optional(data, '0x')(json.at('output')),
    failed: json.at('error').isPresent,
    calls:
      depth > MAX_DEPTH
        ? []
        : json
            .at('calls')
            .list(Infinity)
            .map((call) => frame(call, depth + 1)),
  };
}

/** Frames as Otterscan lists them: in the order in which they began, without those of precompiled contracts. */
export function otsFrames(top: Frame, depth = 0): object[] {
  const { type, from, to, input, output, calls } = top;
  // No contract can have the address of a precompiled one of a later fork.
  if (depth > 0 && getPrecompiles('osaka').has(to)) return [];
  const value = type === 'DELEGATECALL' || top.value === undefined ? null : `0x${top.value.toString(16)}`;
  const own = { type, depth, from, to, value, input, output };
  return [own, ...calls.flatMap((call) => otsFrames(call, depth + 1))];
}

const KINDS: Readonly<Record<string, InternalCall['kind']>> = {
  CALL: 'call',
  CALLCODE: 'call',
  CREATE: 'create',
  CREATE2: 'create2',
  SELFDESTRUCT: 'selfdestruct',
};

/** Inner calls that moved value, created or destroyed; a frame that failed takes with it all that it did. */
export function internalCalls(top: Frame, depth = 0): InternalCall[] {
  if (top.failed) return [];
  const { type, from, to, value = 0n, calls } = top;
  const kind = depth === 0 ? undefined : KINDS[type];
  const counts = kind !== undefined && (kind !== 'call' || value > 0n);
  return [
    ...(counts ? [{ kind, from, to, value, depth }] : []),
    ...calls.flatMap((call) => internalCalls(call, depth + 1)),
  ];
}
