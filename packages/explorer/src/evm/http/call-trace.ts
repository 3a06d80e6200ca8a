import { checksummed } from '@switchyard/protocol/ethereum';
import { hexData, hexQuantity, Input, type Read } from '@switchyard/service/input';
import type { Call } from '../../contract/evm.ts';
import type { EvmNode } from '../evm-node.ts';

/** Calls of one trace that are shown, and bytes of each input and output. */
const MAX_CALLS = 1_000;
const MAX_BYTES = 1_024;
/** How long the node may execute for it. */
const TIMEOUT = '5s';

export type CallTrace = Awaited<ReturnType<typeof callTrace>>;

/** Executes a transaction again. @throws {JsonRpcError} if the node cannot; {AnswerTooLong} */
export async function callTrace(node: EvmNode, hash: string, signal: AbortSignal, { onlyTop = false } = {}) {
  const options = { tracer: 'callTracer', timeout: TIMEOUT, tracerConfig: { onlyTopCall: onlyTop } };
  const top = new Input(await node.trace(hash, options, signal), 'trace');
  const calls: Call[] = [];
  // A stack of our own: calls may be a thousand deep.
  const waiting: { readonly frame: Input; readonly path: readonly number[] }[] = [{ frame: top, path: [] }];
  for (let next = waiting.pop(); next !== undefined && calls.length < MAX_CALLS; next = waiting.pop()) {
    const { frame, path } = next;
    calls.push(callJson(frame, path));
    const inner = frame.at('calls').list(Number.POSITIVE_INFINITY);
    for (let at = inner.length - 1; at >= 0; at -= 1) {
      const child = inner[at];
      if (child !== undefined) waiting.push({ frame: child, path: [...path, at] });
    }
  }
  // Each call is followed by its inner calls. Outputs are whole, also of reverted calls.
  return { calls, isCut: waiting.length > 0, output: top.at('output').optional(hexData()) ?? '0x' };
}

const address: Read<string> = (input) => checksummed(hexData(20)(input).slice(2));
const cut = (bytes: string) => bytes.slice(0, 2 + 2 * MAX_BYTES);

function callJson(frame: Input, path: readonly number[]): Call {
  const input = frame.at('input').optional(hexData()) ?? '0x';
  const type = frame.at('type').text().slice(0, 20);
  return {
    path,
    depth: path.length,
    type,
    from: address(frame.at('from')),
    to: frame.at('to').optional(address) ?? null,
    value: String(frame.at('value').optional(hexQuantity) ?? 0n),
    gas: Number(frame.at('gas').optional(hexQuantity) ?? 0n),
    gasUsed: Number(frame.at('gasUsed').optional(hexQuantity) ?? 0n),
    input: cut(input),
    inputBytes: (input.length - 2) / 2,
    output: cut(frame.at('output').optional(hexData()) ?? '0x'),
    error: frame.at('error').optional((each) => each.text().slice(0, 200)) ?? null,
    selector: input.length >= 10 && !type.startsWith('CREATE') ? input.slice(0, 10) : null,
    method: null,
  };
}
