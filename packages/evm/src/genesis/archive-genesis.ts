import { ZERO_ADDRESS, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { readJsonFile } from '@switchyard/service';
import { mapped, object, optional, strictObject } from '@switchyard/service/input';
import { toHeader } from '../blocks/header.ts';
import { forkSchedule } from '../rules/forks.ts';
import { type ArchiveSchedule, archiveSchedule } from './archive-schedule.ts';
import { type EvmGenesis, nonceText, readAlloc } from './genesis.ts';
import { addressText, dataText, uint, wordText } from './values.ts';

/** Wei for each unit of gas in the first block of London (EIP-1559). */
export const FIRST_BASE_FEE = 1_000_000_000n;

/** Genesis of a chain with any forks that are known here, in go-ethereum's format. */
export interface ArchiveGenesis extends Pick<EvmGenesis, 'chainId' | 'forks' | 'header' | 'alloc'> {
  readonly rules: ArchiveSchedule;
}

/**
 * @param file Its name, for messages.
 * @throws {InvalidConfig} naming the fault.
 */
export function parseArchiveGenesis(text: string, file: string): ArchiveGenesis {
  const { alloc, config, ...fields } = readJsonFile(text, file, readFields);
  const { parentHash, coinbase, difficulty, gasLimit, timestamp, extraData, mixHash, baseFeePerGas } = fields;
  const { blobGasUsed, excessBlobGas, slotNumber } = fields;
  const header = toHeader(config.rules(0n, timestamp).fork, {
    ...{ parentHash, coinbase, difficulty, gasLimit, timestamp, extraData, mixHash, baseFeePerGas },
    ...{ blobGasUsed, excessBlobGas, slotNumber, number: 0n, nonce: nonceText(fields.nonce) },
  });
  return { ...config, header, alloc };
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
    alloc: optional<ArchiveGenesis['alloc']>(readAlloc, new Map()),
    number: unread,
    gasUsed: unread,
    name: unread,
    requestsHash: unread,
    blockAccessListHash: unread,
    slotNumber: optional(uint(64), 0n),
  },
  { aliases: { mixhash: 'mixHash' } },
);
