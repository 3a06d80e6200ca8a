import { type Common, createCommonFromGethGenesis, type GethGenesis } from '@ethereumjs/common';
import { errorLine, InvalidConfig, readJsonFile } from '@switchyard/service';
import { type Input, optional, strictObject } from '@switchyard/service/input';
import { EMPTY_UNCLES } from '../../blocks/header.ts';
import { EMPTY_ROOT } from '../../blocks/ordered-root.ts';
import { nativeCrypto } from '../../embedded/native-crypto.ts';
import { type ForkSchedule, forkSchedule } from '../../forks.ts';
import { type GenesisAlloc, readAlloc } from '../../genesis.ts';
import { addressText, dataText, uint, uintOf, wordText } from '../../genesis-values.ts';
import { hexOf, ZERO_ADDRESS, ZERO_HASH } from '../../hex.ts';
import { pointEvaluation } from '../../precompiles/kzg.ts';
import type { Hash, Header } from '../../types.ts';

/** EthereumJS's rules of a block with this number and this time, in seconds. */
export type LibraryRules = (number: bigint, timestamp: bigint) => Common;

/** Genesis of a chain with any forks that the library knows, in go-ethereum's format. */
export interface ArchiveGenesis {
  readonly chainId: bigint;
  readonly rules: LibraryRules;
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
  const common = commonOf(text, file, config);
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
function rulesOf(common: Common): LibraryRules {
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

function commonOf(text: string, file: string, config: Input): Common {
  try {
    // What the file's section `config` may hold is the library's to say; the rest is read by our own reader as well.
    const written = JSON.parse(text) as { readonly config: object };
    const genesis = {
      ...{ nonce: '0x0', difficulty: '0x0', timestamp: '0x0', ...written },
      config: { ...mergedAtOnce(config), ...written.config },
    };
    return createCommonFromGethGenesis(genesis as GethGenesis, {
      chain: 'archive',
      // Without the last one it decodes no transactions with blobs.
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

/**
 * As go-ethereum has it, a chain whose terminal total difficulty is 0 has no proof of work. The library sees that only
 * where a later fork is scheduled, and takes such a chain for one of London otherwise.
 */
function mergedAtOnce(config: Input): { readonly mergeForkBlock?: 0 } {
  const isZero = (name: string) => uintOf(config.at(name).value) === 0n;
  return isZero('terminalTotalDifficulty') && isZero('londonBlock') ? { mergeForkBlock: 0 } : {};
}

const FIRST_BASE_FEE = 1_000_000_000n;
const unread = (): undefined => undefined;

const readFields = strictObject(
  {
    // The library reads this one as well.
    config: (input) => (input.isObject ? input : input.fail('an object')),
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
  },
  { aliases: { mixhash: 'mixHash' } },
);

type Fields = Omit<ReturnType<typeof readFields>, 'alloc' | 'config'>;

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
