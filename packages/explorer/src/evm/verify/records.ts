import { sha256Hex } from '@switchyard/protocol';
import { insert } from '../../store/statements.ts';
import type { IndexStore, Row } from '../../store/store.ts';
import { parseAbi, parseAbiItem } from '../decode/abi.ts';
import type { MatchKind } from './match.ts';
import { parseStandardInput, type StandardInput } from './standard-input.ts';

/** A contract whose sources are known, without them. Addresses and hashes are hex without `0x`. */
export interface ContractRecord {
  readonly rollup: string;
  readonly address: string;
  /** Keccak-256 of the code that the sources make. */
  readonly codeHash: string;
  readonly kind: MatchKind;
  readonly path: string;
  readonly name: string;
  /** Such as `0.8.26+commit.8a97fa7a`. */
  readonly compiler: string;
  /** Of the constructor, encoded; undefined where the creation code is not known. */
  readonly constructorArguments: string | undefined;
  /** Addresses of libraries that the settings do not have, by `path:name`. */
  readonly libraries: Readonly<Record<string, string>>;
  readonly abi: readonly unknown[];
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** Of the standard JSON input. */
  readonly inputHash: string;
}

const COLUMNS = [
  ...['rollup', 'address', 'code_hash', 'kind', 'path', 'name', 'compiler', 'arguments', 'libraries', 'abi', 'input'],
  'time',
];
const MAX_SIGNATURES = 8;

/** Writes a contract, in the place of what was known of its address. */
export async function saveContract(
  store: Pick<IndexStore, 'write'>,
  record: Omit<ContractRecord, 'inputHash'>,
  input: StandardInput,
): Promise<void> {
  const text = JSON.stringify(input);
  const inputHash = sha256Hex(new TextEncoder().encode(text));
  const values = [
    ...[record.rollup, record.address, record.codeHash, record.kind, record.path, record.name, record.compiler],
    ...[record.constructorArguments ?? null, JSON.stringify(record.libraries), JSON.stringify(record.abi), inputHash],
    record.time,
  ];
  const replaced = COLUMNS.slice(2).map((column) => `${column} = excluded.${column}`);
  await store.write([
    ...insert('contract_inputs', ['hash', 'input'], [[inputHash, text]], 'ON CONFLICT DO NOTHING'),
    ...insert('contracts', COLUMNS, [values], `ON CONFLICT (rollup, address) DO UPDATE SET ${replaced.join(', ')}`),
    ...insert(
      'contract_signatures',
      ['kind', 'selector', 'signature', 'item'],
      signaturesOf(record.abi),
      'ON CONFLICT DO NOTHING',
    ),
  ]);
}

/** A row for each item that can be decoded. Two spellings of one item would be one row twice. */
function signaturesOf(abi: readonly unknown[]): string[][] {
  const { functions, events, errors } = parseAbi(abi);
  const rows = [
    ...functions,
    ...errors,
    ...[...events].flatMap(([key, all]) => all.map((each) => [key, each] as const)),
  ];
  const byKey = rows.map(([selector, item]) => {
    const row = [item.type, selector, item.format('minimal'), item.format('json')];
    return [row.slice(0, 3).join(' '), row] as const;
  });
  return [...new Map(byKey).values()];
}

export async function findContract(
  store: Pick<IndexStore, 'read'>,
  rollup: string,
  address: string,
): Promise<ContractRecord | undefined> {
  const [row] = await store.read('SELECT * FROM contracts WHERE rollup = ? AND address = ?', [rollup, address]);
  return row && recordOf(row);
}

/** @throws {Error} where the row is gone, which no code of ours does. */
export async function inputOf(store: Pick<IndexStore, 'read'>, { inputHash }: ContractRecord): Promise<StandardInput> {
  const [row] = await store.read('SELECT input FROM contract_inputs WHERE hash = ?', [inputHash]);
  return parseStandardInput(String(row?.input));
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
export function recordOf(row: Row): ContractRecord {
  return {
    rollup: String(row.rollup),
    address: String(row.address),
    codeHash: String(row.code_hash),
    kind: row.kind === 'full' ? 'full' : 'partial',
    path: String(row.path),
    name: String(row.name),
    compiler: String(row.compiler),
    constructorArguments: row.arguments === null ? undefined : String(row.arguments),
    libraries: JSON.parse(String(row.libraries)) as Readonly<Record<string, string>>,
    abi: JSON.parse(String(row.abi)) as readonly unknown[],
    time: Number(row.time),
    inputHash: String(row.input),
  };
}
