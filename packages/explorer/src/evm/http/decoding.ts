import { schema } from '@switchyard/service/api';
import type { Row } from '../../store/store.ts';
import type { Decoded } from '../decode/decode.ts';
import type { Shown } from '../decode/values.ts';
import type { EvmNode } from '../evm-node.ts';

interface DecodedRollup {
  readonly id: string;
  readonly node: EvmNode;
}

/** Reads what bytes mean. Addresses are lower-case hex without `0x`, bytes have it. */
export interface Decoding {
  call(rollup: DecodedRollup, to: string, input: string): Promise<Decoded | undefined>;
  method(rollup: DecodedRollup, to: string, input: string): Promise<string | undefined>;
  log(
    rollup: DecodedRollup,
    log: { readonly address: string; readonly topics: readonly string[]; readonly data: string },
  ): Promise<Decoded | undefined>;
  revert(rollup: DecodedRollup, to: string, data: string): Promise<Decoded | undefined>;
}

const valueSchema: schema.Schema<Shown> = {
  // Only answers have it, and those are not read.
  read: (input) => input.text(),
  json: { description: 'Amounts as decimal text, bytes as hex, tuples as a list of arguments' },
};

export const decodedSchema = schema.object(
  {
    name: schema.text('Of the function, event or error'),
    signature: schema.text('With the types of its parameters'),
    arguments: schema.list(
      schema.object(
        { name: schema.text('Of the parameter'), type: schema.text('As the ABI writes it'), value: valueSchema },
        { name: 'EvmArgument' },
      ),
    ),
  },
  { name: 'EvmDecoded' },
);

/** Names of the functions that transactions or calls of a page name by selectors. @param rows With recipient and input. */
export async function methodsOf(
  { decoder }: { readonly decoder?: Decoding | undefined },
  rollup: DecodedRollup,
  rows: readonly Row[],
): Promise<(row: Row) => string | null> {
  if (decoder === undefined) return () => null;
  const names = new Map<string, Promise<string | undefined>>();
  const keyOf = ({ recipient, input }: Row) => `${String(recipient)} ${String(input).slice(0, 8)}`;
  for (const row of rows) {
    const { recipient, input } = row;
    if (typeof recipient !== 'string' || typeof input !== 'string' || input.length < 8) continue;
    // Of the same function to the same contract one is asked.
    if (!names.has(keyOf(row))) names.set(keyOf(row), decoder.method(rollup, recipient, `0x${input}`));
  }
  const found = new Map<string, string | undefined>();
  for (const [key, name] of names) found.set(key, await name);
  return (row) => found.get(keyOf(row)) ?? null;
}
