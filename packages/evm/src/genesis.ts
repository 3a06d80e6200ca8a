import { type RollupId, rollupIdFromName } from '@switchyard/protocol';
import { type Read, RecordReader, readJson, record } from '@switchyard/rollup';
import { EMPTY_UNCLES } from './blocks/header.ts';
import { EMPTY_ROOT } from './blocks/ordered-root.ts';
import { type RollupSection, readRollupSection } from './genesis-rollup.ts';
import { addressText, dataText, isRecord, uint, wordText } from './genesis-values.ts';
import { ZERO_HASH } from './hex.ts';
import { parseRecipient } from './rules.ts';
import type { Address, Data, Hash, Header } from './types.ts';

export interface GenesisAccount {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Data;
  readonly storage: ReadonlyMap<Hash, bigint>;
}

export type GenesisAlloc = ReadonlyMap<Address, GenesisAccount>;

/** A genesis file in geth's format with a section for the rollup, read and checked. */
export interface EvmGenesis extends RollupSection {
  readonly chainId: bigint;
  /** SHA-256 of the name. */
  readonly rollup: RollupId;
  /** Of every block. */
  readonly gasLimit: bigint;
  /** Block 0 without its state root, which needs the state. */
  readonly header: Omit<Header, 'stateRoot'>;
  readonly alloc: GenesisAlloc;
}

/** Block 0, when its state is known. */
export function genesisHeader({ header }: EvmGenesis, stateRoot: Hash): Header {
  return { ...header, stateRoot };
}

/**
 * Reads a genesis file: what stock clients need of it, for a chain that has Cancun's rules from its first block, and
 * the section `config.switchyard` (or the reference's keys).
 *
 * @param file Its name, for messages.
 * @throws {InvalidConfig} naming every wrong field: path, expected, got.
 */
export function parseEvmGenesis(text: string, file: string): EvmGenesis {
  return readJson(text, file, readGenesis);
}

const readGenesis: Read<EvmGenesis> = (value, path, report) => {
  if (!isRecord(value)) return void report(path, 'an object', value);
  const reader = new RecordReader(value, path, report);
  const config = reader.required('config', 'an object', readConfig, undefined);
  const gasLimit = reader.required('gasLimit', 'a number', uint(63, 21_000n), 0n);
  const header = {
    parentHash: reader.optional('parentHash', wordText, ZERO_HASH),
    uncleHash: EMPTY_UNCLES,
    coinbase: reader.optional('coinbase', addressText, ZERO_ADDRESS),
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: NO_BLOOM,
    difficulty: reader.optional('difficulty', exactly(0n, 'a chain without mining'), 0n),
    number: reader.optional('number', exactly(0n, 'the first block'), 0n),
    gasLimit,
    gasUsed: reader.optional('gasUsed', exactly(0n, 'the first block'), 0n),
    timestamp: reader.optional('timestamp', uint(63), 0n),
    extraData: reader.optional('extraData', dataText(32), '0x'),
    mixHash: reader.optional(['mixHash', 'mixhash'], wordText, ZERO_HASH),
    nonce: nonceText(reader.optional('nonce', uint(64), 0n)),
    baseFeePerGas: reader.optional('baseFeePerGas', uint(128), DEFAULT_BASE_FEE),
    withdrawalsRoot: EMPTY_ROOT,
    blobGasUsed: reader.optional('blobGasUsed', exactly(0n, 'a chain without blobs'), 0n),
    excessBlobGas: reader.optional('excessBlobGas', exactly(0n, 'a chain without blobs'), 0n),
    parentBeaconBlockRoot: ZERO_HASH,
    requestsHash: undefined,
  };
  const alloc = reader.optional<GenesisAlloc>('alloc', readAlloc, new Map());
  reader.done();
  if (config === undefined) return undefined;
  return { ...config, rollup: rollupIdFromName(config.rollupName), gasLimit, header, alloc };
};

const ZERO_ADDRESS: Address = `0x${'00'.repeat(20)}`;
const NO_BLOOM: Data = `0x${'00'.repeat(256)}`;
const DEFAULT_BASE_FEE = 1_000_000_000n;

/** Each was a fork once; this chain begins after all of them. */
const BLOCKS = [
  'homesteadBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'berlinBlock',
  'londonBlock',
  'terminalTotalDifficulty',
  'shanghaiTime',
  'cancunTime',
];
const LATER = ['pragueTime', 'osakaTime', 'bpo1Time', 'bpo2Time', 'amsterdamTime', 'verkleTime', 'ubtTime'];

/** Keys that are not ours are left to the stock client that reads the same file. */
const readConfig: Read<RollupSection & { readonly chainId: bigint }> = (value, path, report) => {
  if (!isRecord(value)) return void report(path, 'an object', value);
  const reader = new RecordReader(value, path, report);
  const chainId = reader.required('chainId', 'a number', uint(53, 1n), 0n);
  for (const key of BLOCKS) reader.required(key, '0', exactly(0n, 'a chain with this fork from its first block'), 0n);
  for (const key of LATER) reader.optional(key, absent, undefined);
  const section = readRollupSection(value, path, report);
  return section && { ...section, chainId };
};

const absent: Read<undefined> = (value, path, report) =>
  value === null ? undefined : void report(path, 'nothing: the rules of this rollup are those of Cancun', value);

function exactly(expected: bigint, why: string): Read<bigint> {
  return (value, path, report) => {
    let wrong = false;
    const number = uint(256)(value, path, () => (wrong = true));
    if (!wrong && number === expected) return number;
    return void report(path, `${expected} (${why})`, value);
  };
}

export const readAlloc: Read<GenesisAlloc> = (value, path, report) => {
  if (!isRecord(value)) return void report(path, 'an object', value);
  const alloc = new Map<Address, GenesisAccount>();
  for (const [key, entry] of Object.entries(value)) {
    const at = `${path}.${key.slice(0, 50)}`;
    const address = parseRecipient(key);
    const account = readAccount(entry, at, report);
    if (address === undefined) report(at, 'an address of 40 hex digits, all in one case or with a valid checksum');
    else if (alloc.has(address)) report(at, 'each address once');
    else if (account !== undefined) alloc.set(address, account);
  }
  return alloc;
};

const readAccount: Read<GenesisAccount> = record((reader) => ({
  // Some tools label the accounts with their keys; nothing reads these.
  ...ignored(reader, ['comment', 'privateKey', 'secretKey']),
  nonce: reader.optional('nonce', uint(64), 0n),
  balance: reader.optional('balance', uint(256), 0n),
  code: reader.optional('code', dataText(1_048_576), '0x'),
  storage: reader.optional<ReadonlyMap<Hash, bigint>>('storage', readStorage, new Map()),
}));

function ignored(reader: RecordReader, keys: readonly string[]): object {
  for (const key of keys) reader.optional(key, () => undefined, undefined);
  return {};
}

const readStorage: Read<ReadonlyMap<Hash, bigint>> = (value, path, report) => {
  if (!isRecord(value)) return void report(path, 'an object', value);
  const storage = new Map<Hash, bigint>();
  for (const [key, entry] of Object.entries(value)) {
    const at = `${path}.${key.slice(0, 70)}`;
    const slot = wordText(key, at, report);
    const word = wordText(entry, at, report);
    if (slot !== undefined && word !== undefined && BigInt(word) !== 0n) storage.set(slot, BigInt(word));
  }
  return storage;
};

function nonceText(value: bigint): Data {
  return `0x${value.toString(16).padStart(16, '0')}`;
}
