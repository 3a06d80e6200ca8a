import { hexOf, ZERO_ADDRESS, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { readJsonFile } from '@switchyard/service';
import { mapped, object, optional, strictObject } from '@switchyard/service/input';
import { EMPTY_UNCLES } from '../../blocks/header.ts';
import { EMPTY_ROOT } from '../../blocks/ordered-root.ts';
import { type ForkSchedule, forkSchedule } from '../../forks.ts';
import { type GenesisAlloc, readAlloc } from '../../genesis.ts';
import { addressText, dataText, uint, wordText } from '../../genesis-values.ts';
import { type Fork, includes } from '../../interpreter/fork.ts';
import type { Hash, Header } from '../../types.ts';
import { type ArchiveRules, type ArchiveSchedule, archiveSchedule } from './rules.ts';
import { FIRST_BASE_FEE } from './validate.ts';

/** Genesis of a chain with any forks that are known here, in go-ethereum's format. */
export interface ArchiveGenesis {
  readonly chainId: bigint;
  readonly rules: ArchiveSchedule;
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
  const { alloc, config, ...fields } = readJsonFile(text, file, readFields);
  return { ...config, header: headerOf(fields, config.rules(0n, fields.timestamp)), alloc };
}

const unread = (): undefined => undefined;

const readFields = strictObject(
  {
    config: mapped(object({ chainId: uint(64, 1n) }), ({ chainId }, input) => {
      const forks = forkSchedule(input);
      return { chainId, forks, rules: archiveSchedule(input, chainId, forks) };
    }),
    parentHash: optional(wordText, ZERO_HASH),
    coinbase: optional(addressText, ZERO_ADDRESS),
    difficulty: optional(uint(256), 0n),
    gasLimit: uint(63),
    timestamp: optional(uint(63), 0n),
    extraData: optional(dataText(1024), '0x'),
    mixHash: optional(wordText, ZERO_HASH),
    nonce: optional(uint(64), 0n),
    baseFeePerGas: optional(uint(128), FIRST_BASE_FEE),
    blobGasUsed: optional(uint(64), 0n),
    excessBlobGas: optional(uint(64), 0n),
    alloc: optional<GenesisAlloc>(readAlloc, new Map()),
    number: unread,
    gasUsed: unread,
    name: unread,
    requestsHash: unread,
    blockAccessListHash: unread,
    slotNumber: optional(uint(64), 0n),
  },
  { aliases: { mixhash: 'mixHash' } },
);

type Fields = Omit<ReturnType<typeof readFields>, 'alloc' | 'config'>;

/** Keccak-256 of the RLP of an empty list: EIP-7928 without accesses. */
const NO_ACCESSES: Hash = EMPTY_UNCLES;
/** SHA-256 of nothing: EIP-7685 without requests. */
const NO_REQUESTS: Hash = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function headerOf(fields: Fields, { fork }: ArchiveRules): Omit<Header, 'stateRoot'> {
  const since = <T>(first: Fork, value: T): T | undefined => (includes(fork, first) ? value : undefined);
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
    baseFeePerGas: since('london', fields.baseFeePerGas),
    withdrawalsRoot: since('shanghai', EMPTY_ROOT),
    blobGasUsed: since('cancun', fields.blobGasUsed),
    excessBlobGas: since('cancun', fields.excessBlobGas),
    parentBeaconBlockRoot: since('cancun', ZERO_HASH),
    requestsHash: since('prague', NO_REQUESTS),
    blockAccessListHash: since('amsterdam', NO_ACCESSES),
    slotNumber: since('amsterdam', fields.slotNumber),
  };
}
