import { wireDecoder } from '../../define/definitions.node.ts';
import { executionParts } from '../../define/execution-parts.ts';
import { isCounted, typeByBlock } from '../../define/rows.node.ts';
import type { Fields, RecordType } from '../../schema/shapes.ts';

const types = new WeakMap<RecordType<Fields>, ReturnType<typeof typeByBlock>>();

function typeNow(newest: RecordType<Fields>): RecordType<Fields> {
  const known = types.get(newest) ?? typeByBlock(newest);
  types.set(newest, known);
  return known();
}

const decoders = new WeakMap<object, ReturnType<typeof wireDecoder>>();

function decoderOnce(...given: Parameters<typeof wireDecoder>): ReturnType<typeof wireDecoder> {
  const known = decoders.get(given[0]) ?? wireDecoder(...given);
  decoders.set(given[0], known);
  return known;
}

/** Lets the definitions of a page be executed. */
export function bringExecution(): void {
  Object.assign(executionParts, { typeNow, isCounted, wireDecoder: decoderOnce });
}
