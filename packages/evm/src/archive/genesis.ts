import { type Common, createCommonFromGethGenesis, type GethGenesis } from '@ethereumjs/common';
import { type Read, RecordReader, readJson } from '@switchyard/rollup';
import type { ExactJson } from '@switchyard/service';
import { errorLine, InvalidConfig } from '@switchyard/service';
import { EMPTY_UNCLES } from '../blocks/header.ts';
import { EMPTY_ROOT } from '../blocks/ordered-root.ts';
import { nativeCrypto } from '../embedded/native-crypto.ts';
import { type GenesisAlloc, readAlloc } from '../genesis.ts';
import { addressText, dataText, isRecord, uint, wordText } from '../genesis-values.ts';
import { hexOf, ZERO_HASH } from '../hex.ts';
import { pointEvaluation } from '../precompiles/kzg.ts';
import { type ForkSchedule, forkSchedule } from '../rpc/fork-config.ts';
import type { Rules } from '../simulate/environment.ts';
import type { Address, Data, Hash, Header } from '../types.ts';

/** Genesis of a chain with any forks that the library knows, in go-ethereum's format. */
export interface ArchiveGenesis {
  readonly chainId: bigint;
  /** Of each block, by its number and time. */
  readonly rules: Rules;
  readonly forks: ForkSchedule;
  /** Block 0 without its state root. */
  readonly header: Omit<Header, 'stateRoot'>;
  readonly alloc: GenesisAlloc;
}

/**
 * @param file Its name, for messages.
 * @throws {InvalidConfig} naming what is wrong.
 */
export function parseArchiveGenesis(text: string, file: string): ArchiveGenesis {
  const { fields, alloc } = readJson(text, file, readFields);
  const config = configOf(text);
  const common = commonOf(text, file);
  const forks = forkSchedule(config);
  // The library reads the blob schedules of a file under one name and asks for those of later forks under another.
  for (const { name, blobs } of forks.times) {
    if (blobs === undefined || !name.startsWith('bpo')) continue;
    common.updateParams({ [name]: { target: blobs.target, max: blobs.max } });
  }
  const rules = rulesOf(common);
  return {
    chainId: common.chainId(),
    rules,
    forks,
    header: headerOf(fields, rules(0n, fields.timestamp)),
    alloc,
  };
}

/** Every set of rules is made once. */
function rulesOf(common: Common): Rules {
  const made = new Map<string, Common>();
  return (number, timestamp) => {
    const fork = common.getHardforkBy({ blockNumber: number, timestamp });
    const known = made.get(fork);
    if (known !== undefined) return known;
    const rules = common.copy();
    rules.setHardfork(fork);
    made.set(fork, rules);
    return rules;
  };
}

function commonOf(text: string, file: string): Common {
  try {
    // What the file's section `config` may hold is the library's to say; the rest is read by our own reader as well.
    const genesis = { nonce: '0x0', difficulty: '0x0', timestamp: '0x0', ...(JSON.parse(text) as object) };
    return createCommonFromGethGenesis(genesis as GethGenesis, {
      chain: 'archive',
      customCrypto: { ...nativeCrypto, kzg: pointEvaluation },
    });
  } catch (error) {
    throw new InvalidConfig([
      {
        variable: `${file}: config`,
        expected: 'a fork schedule that EthereumJS knows',
        got: errorLine(error),
        advice: 'correct the file',
      },
    ]);
  }
}

function configOf(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  const config = typeof value === 'object' && value !== null && 'config' in value ? value.config : undefined;
  return typeof config === 'object' && config !== null ? { ...config } : {};
}

interface Fields {
  readonly parentHash: Hash;
  readonly coinbase: Address;
  readonly difficulty: bigint;
  readonly gasLimit: bigint;
  readonly timestamp: bigint;
  readonly extraData: Data;
  readonly mixHash: Hash;
  readonly nonce: bigint;
  readonly baseFeePerGas: bigint;
  readonly blobGasUsed: bigint;
  readonly excessBlobGas: bigint;
}

const readFields: Read<{ readonly fields: Fields; readonly alloc: GenesisAlloc }> = (value, path, report) => {
  if (!isRecord(value)) return void report(path, 'an object', value);
  const reader = new RecordReader(value, path, report);
  reader.required('config', 'an object', anything, null);
  const fields: Fields = {
    parentHash: reader.optional('parentHash', wordText, ZERO_HASH),
    coinbase: reader.optional('coinbase', addressText, NOBODY),
    difficulty: reader.optional('difficulty', uint(256), 0n),
    gasLimit: reader.required('gasLimit', 'a number', uint(63), 0n),
    timestamp: reader.optional('timestamp', uint(63), 0n),
    extraData: reader.optional('extraData', dataText(1024), '0x'),
    mixHash: reader.optional(['mixHash', 'mixhash'], wordText, ZERO_HASH),
    nonce: reader.optional('nonce', uint(64), 0n),
    baseFeePerGas: reader.optional('baseFeePerGas', nullable(uint(128), FIRST_BASE_FEE), FIRST_BASE_FEE),
    blobGasUsed: reader.optional('blobGasUsed', nullable(uint(64), 0n), 0n),
    excessBlobGas: reader.optional('excessBlobGas', nullable(uint(64), 0n), 0n),
  };
  for (const known of ['number', 'gasUsed', 'name', 'requestsHash']) reader.optional(known, anything, null);
  const alloc = reader.optional<GenesisAlloc>('alloc', readAlloc, new Map());
  reader.done();
  return { fields, alloc };
};

const NOBODY: Address = `0x${'00'.repeat(20)}`;
const FIRST_BASE_FEE = 1_000_000_000n;
const anything: Read<ExactJson> = (value) => value;

function nullable<T>(read: Read<T>, fallback: T): Read<T> {
  return (value, path, report) => (value === null ? fallback : read(value, path, report));
}

/** SHA-256 of nothing: EIP-7685 without requests. */
const NO_REQUESTS: Hash = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function headerOf(fields: Fields, rules: Common): Omit<Header, 'stateRoot'> {
  const since = <T>(eip: number, value: T): T | undefined => (rules.isActivatedEIP(eip) ? value : undefined);
  return {
    parentHash: fields.parentHash,
    uncleHash: EMPTY_UNCLES,
    coinbase: fields.coinbase,
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: hexOf(new Uint8Array(256)),
    difficulty: fields.difficulty,
    number: 0n,
    gasLimit: fields.gasLimit,
    gasUsed: 0n,
    timestamp: fields.timestamp,
    extraData: fields.extraData,
    mixHash: fields.mixHash,
    nonce: `0x${fields.nonce.toString(16).padStart(16, '0')}`,
    baseFeePerGas: since(1559, fields.baseFeePerGas),
    withdrawalsRoot: since(4895, EMPTY_ROOT),
    blobGasUsed: since(4844, fields.blobGasUsed),
    excessBlobGas: since(4844, fields.excessBlobGas),
    parentBeaconBlockRoot: since(4788, ZERO_HASH),
    requestsHash: since(7685, NO_REQUESTS),
  };
}
