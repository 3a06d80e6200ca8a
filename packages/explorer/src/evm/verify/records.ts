import { sha256Hex } from '@switchyard/protocol';
import { exactJsonText } from '@switchyard/service';
import { insert } from '../../store/statements.ts';
import type { IndexStore, Row } from '../../store/store.ts';
import { parseAbiItem } from '../decode/abi.ts';
import type { StandardInput } from './standard-input.ts';
import { MAX_ABI_BYTES, MAX_INPUT_BYTES } from './storable.ts';

/** A contract whose sources are known, without them. Addresses and hashes are hex without `0x`. */
export type ContractRecord = ReturnType<typeof recordOf>;

const COLUMNS = [
  ...['rollup', 'address', 'code_hash', 'kind', 'path', 'name', 'compiler', 'arguments', 'libraries', 'abi', 'input'],
  'time',
];
const MAX_SIGNATURES = 8;

/** Writes a contract, in place of the earlier record of its address. */
export async function saveContract(
  store: Pick<IndexStore, 'read' | 'write'>,
  record: Omit<ContractRecord, 'inputHash'>,
  input: StandardInput,
): Promise<void> {
  const text = exactJsonText(input);
  const inputHash = getInputHash(input);
  const values = [
    ...[record.rollup, record.address, record.codeHash, record.kind, record.path, record.name, record.compiler],
    ...[record.constructorArguments ?? null, JSON.stringify(record.libraries), record.abi, inputHash],
    record.time,
  ];
  const replaced = COLUMNS.slice(2).map((column) => `${column} = excluded.${column}`);
  const before = 'SELECT input FROM contracts WHERE rollup = ? AND address = ?';
  const old = (await store.read(before, [record.rollup, record.address])).map((row) => row.input ?? null);
  const unused = 'DELETE FROM contract_inputs WHERE hash = ? AND hash NOT IN (SELECT input FROM contracts)';
  await store.write([
    ...insert('contract_inputs', ['hash', 'input'], [[inputHash, text]], 'ON CONFLICT DO NOTHING'),
    ...insert('contracts', COLUMNS, [values], `ON CONFLICT (rollup, address) DO UPDATE SET ${replaced.join(', ')}`),
    ...insert(
      'contract_signatures',
      ['kind', 'selector', 'signature', 'item'],
      getSignatures(record.abi),
      'ON CONFLICT DO NOTHING',
    ),
    ...old.map((hash) => ({ sql: unused, params: [hash] })),
  ]);
}

export const getInputHash = (input: StandardInput): string => sha256Hex(new TextEncoder().encode(exactJsonText(input)));

/** Bytes of the sources and ABIs of all contracts. */
export async function storedBytes(store: Pick<IndexStore, 'read'>): Promise<number> {
  const [row] = await store.read(`SELECT (SELECT COALESCE(SUM(OCTET_LENGTH(input)), 0) FROM contract_inputs)
    + (SELECT COALESCE(SUM(OCTET_LENGTH(abi)), 0) FROM contracts) AS bytes`);
  return Number(row?.bytes);
}

/** A row for each item that can be decoded. Two spellings of one item would be one row twice. */
function getSignatures(abi: string): string[][] {
  const rows = (JSON.parse(abi) as readonly unknown[]).flatMap((json) => {
    const item = parseAbiItem(json);
    if (item === undefined || item.isAnonymous) return [];
    const indexed = item.inputs.map(({ isIndexed }) => Number(isIndexed)).join('');
    const row = [item.kind, item.key, item.kind === 'event' ? `${item.signature} ${indexed}` : item.signature];
    return [[...row, JSON.stringify(json)]];
  });
  return [...new Map(rows.map((row) => [row.slice(0, 3).join(' '), row])).values()];
}

/** Undefined also for inputs kept by a version without bounds that are longer than they allow. */
export async function findContract(store: Pick<IndexStore, 'read'>, rollup: string, address: string) {
  const [row] = await store.read(
    `SELECT c.* FROM contracts c JOIN contract_inputs i ON i.hash = c.input
     WHERE c.rollup = ? AND c.address = ? AND OCTET_LENGTH(c.abi) <= ? AND OCTET_LENGTH(i.input) <= ?`,
    [rollup, address, MAX_ABI_BYTES, MAX_INPUT_BYTES],
  );
  return row && recordOf(row);
}

/** The standard JSON input, as stored. */
export async function getInput(store: Pick<IndexStore, 'read'>, { inputHash }: ContractRecord): Promise<string> {
  const [row] = await store.read('SELECT input FROM contract_inputs WHERE hash = ?', [inputHash]);
  return String(row?.input);
}

/** Items of verified ABIs that may be meant by a selector or a topic. */
export async function findSignatures(
  store: Pick<IndexStore, 'read'>,
  kind: 'function' | 'event' | 'error',
  selector: string,
) {
  const rows = await store.read(
    'SELECT item FROM contract_signatures WHERE kind = ? AND selector = ? ORDER BY signature LIMIT ?',
    [kind, selector, MAX_SIGNATURES],
  );
  return rows.flatMap(({ item }) => parseAbiItem(JSON.parse(String(item))) ?? []);
}

/** Our own rows; they were checked before they were written. */
export function recordOf(row: Row) {
  return {
    rollup: String(row.rollup),
    address: String(row.address),
    // Keccak-256 of the code that the sources make.
    codeHash: String(row.code_hash),
    kind: row.kind === 'full' ? ('full' as const) : ('partial' as const),
    path: String(row.path),
    name: String(row.name),
    // Such as `0.8.26+commit.8a97fa7a`.
    compiler: String(row.compiler),
    // Encoded; undefined if the creation code is not known.
    constructorArguments: row.arguments === null ? undefined : String(row.arguments),
    // Addresses of libraries that the settings do not have, by `path:name`.
    libraries: JSON.parse(String(row.libraries)) as Readonly<Record<string, string>>,
    // JSON, as the compiler made it.
    abi: String(row.abi),
    time: Number(row.time),
    inputHash: String(row.input),
  };
}
