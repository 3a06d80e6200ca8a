import type { InternalCall } from '../chain/chain.ts';
import { isPrecompile } from '../embedded/apply.ts';
import type { Address, Data } from '../types.ts';
import { read } from './answer.ts';

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

/** As deep as the EVM goes. */
const MAX_DEPTH = 1_100;

/** @throws {BadAnswer} */
export function frameFromJson(value: unknown, depth = 0): Frame {
  const json = read.object(value, 'frame');
  return {
    type: read.text(json.type, 'type'),
    from: read.address(json.from, 'from'),
    to: read.address(json.to ?? NOBODY, 'to'),
    value: json.value === undefined ? undefined : read.quantity(json.value, 'value'),
    input: read.data(json.input ?? '0x', 'input'),
    output: read.data(json.output ?? '0x', 'output'),
    failed: json.error !== undefined,
    calls: depth > MAX_DEPTH ? [] : read.list(json.calls ?? [], 'calls').map((call) => frameFromJson(call, depth + 1)),
  };
}

const NOBODY: Address = `0x${'00'.repeat(20)}`;

/** As Otterscan lists them: in the order in which they began, without those of precompiled contracts. */
export function otsFrames(frame: Frame, depth = 0): object[] {
  const { type, from, to, input, output, calls } = frame;
  if (depth > 0 && isPrecompile(to)) return [];
  const value = type === 'DELEGATECALL' || frame.value === undefined ? null : `0x${frame.value.toString(16)}`;
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

/** What moved value, created or destroyed inside; a frame that failed takes with it all that it did. */
export function internalCalls(frame: Frame, depth = 0): InternalCall[] {
  if (frame.failed) return [];
  const { type, from, to, value = 0n, calls } = frame;
  const kind = depth === 0 ? undefined : KINDS[type];
  const counts = kind !== undefined && (kind !== 'call' || value > 0n);
  return [
    ...(counts ? [{ kind, from, to, value, depth }] : []),
    ...calls.flatMap((call) => internalCalls(call, depth + 1)),
  ];
}
