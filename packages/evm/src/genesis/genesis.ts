import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Address, Data, Hash, Header } from '@switchyard/evm-machine/types';
import { formatAddress, type RollupId, rollupIdFromName } from '@switchyard/protocol';
import { parseEthereumAddress, ZERO_ADDRESS, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { readJsonFile } from '@switchyard/service';
import {
  all,
  Input,
  mapped,
  object,
  optional,
  type Read,
  readEach,
  shown,
  strictObject,
} from '@switchyard/service/input';
import { toHeader } from '../blocks/header.ts';
import { CODE } from '../gen/sequencer-withdrawer.ts';
import { type ForkSchedule, forkAt } from '../rules/forks.ts';
import { REQUEST_CONTRACTS } from '../rules/system-contracts.ts';
import { isStorageFor, WITHDRAWER_ADDRESS } from '../withdrawer/predeploy.ts';
import { PAST_FORKS } from './file.ts';
import { plannedForks } from './forks.ts';
import { type RollupSection, rollupSection } from './rollup.ts';
import { ADDRESS, addressText, dataText, exactly, uint, wordText } from './values.ts';

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
  /** Which rules are in force when. */
  readonly forks: ForkSchedule;
  /** Gas limit of every block. */
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
 * Reads a genesis file: the part for stock clients, for a chain that has at least Cancun's rules from its first
 * block, and the section `config.switchyard` (or the reference's keys).
 *
 * @param file Its name, for messages.
 * @throws {InvalidConfig} naming every wrong field: path, expected, got.
 */
export function parseEvmGenesis(text: string, file: string): EvmGenesis {
  return readJsonFile(text, file, readGenesis);
}

const DEFAULT_BASE_FEE = 1_000_000_000n;

const fromTheFirst = exactly(0n, 'a chain with this fork from its first block');
const pastForks = Object.fromEntries(PAST_FORKS.map((name) => [name, fromTheFirst]));

/** Keys that are not ours are left to the stock client that reads the same file. */
const readConfig: Read<RollupSection & Pick<EvmGenesis, 'chainId' | 'forks'>> = mapped(
  all(object({ chainId: uint(64, 1n) }), object(pastForks), plannedForks, rollupSection),
  ([{ chainId }, , forks, section]) => ({ ...section, chainId, forks }),
);

const readAccount: Read<GenesisAccount> = mapped(
  strictObject({
    nonce: optional(uint(64), 0n),
    balance: optional(uint(256), 0n),
    code: optional(dataText(1_048_576), '0x'),
    storage: optional<ReadonlyMap<Hash, bigint>>(readStorage, new Map()),
    // Some tools label the accounts with their keys; nothing reads these.
    comment: ignored,
    privateKey: ignored,
    secretKey: ignored,
  }),
  ({ nonce, balance, code, storage }) => ({ nonce, balance, code, storage }),
);

/** Wei. All deposits that there can be, 2^64 of 2^64 gwei, then bring no balance beyond 256 bits, regardless of transfers. */
const MAX_SUPPLY = 1n << 255n;

export const readAlloc: Read<GenesisAlloc> = (input) => {
  const alloc = new Map<Address, GenesisAccount>();
  readEach(input.members(), ([key, entry]) => {
    const account = readAccount(entry);
    const address = parseEthereumAddress(key) ?? entry.fail(ADDRESS, shown(key));
    if (alloc.has(address)) entry.fail('each address once', 'it twice');
    alloc.set(address, account);
  });
  return alloc;
};

const readGenesis: Read<EvmGenesis> = mapped(
  strictObject(
    {
      config: readConfig,
      // The interpreter counts gas in numbers that are exact up to here.
      gasLimit: uint(53, 21_000n),
      parentHash: optional(wordText, ZERO_HASH),
      coinbase: optional(addressText, ZERO_ADDRESS),
      difficulty: optional(exactly(0n, 'a chain without mining')),
      number: optional(exactly(0n, 'the first block')),
      gasUsed: optional(exactly(0n, 'the first block')),
      timestamp: optional(uint(63), 0n),
      extraData: optional(dataText(32), '0x'),
      mixHash: optional(wordText, ZERO_HASH),
      nonce: optional(uint(64), 0n),
      baseFeePerGas: optional(uint(128), DEFAULT_BASE_FEE),
      blobGasUsed: optional(exactly(0n, 'a chain without blobs')),
      excessBlobGas: optional(exactly(0n, 'a chain without blobs')),
      slotNumber: optional(uint(64), 0n),
      alloc: optional<GenesisAlloc>(readAlloc, new Map()),
    },
    { aliases: { mixhash: 'mixHash' } },
  ),
  ({ config, alloc, ...fields }, input) => {
    const supply = [...alloc.values()].reduce((sum, { balance }) => sum + balance, 0n);
    if (supply > MAX_SUPPLY) input.at('alloc').fail('balances of at most 2^255 wei in all', `${supply} wei`);
    const fork = forkAt(config.forks, fields.timestamp);
    expectContracts(fork, alloc, input.at('alloc'));
    expectBridge(config, alloc, input.at('alloc'));
    const { parentHash, coinbase, gasLimit, timestamp, extraData, mixHash, baseFeePerGas, slotNumber } = fields;
    const header = toHeader(fork, {
      ...{ parentHash, coinbase, gasLimit, timestamp, extraData, mixHash, baseFeePerGas, slotNumber },
      ...{ number: 0n, nonce: nonceText(fields.nonce) },
    });
    return { ...config, rollup: rollupIdFromName(config.rollupName), gasLimit, header, alloc };
  },
);

/** EIP-7002, EIP-7251, EIP-8282: no block is valid if one of them is missing. */
function expectContracts(fork: Fork, alloc: GenesisAlloc, input: Input): void {
  for (const { since, address } of REQUEST_CONTRACTS)
    if (includes(fork, since) && (alloc.get(address)?.code ?? '0x') === '0x')
      input.fail(`the contract ${address}, which every block from ${since} on calls`, 'none');
}

/** The withdrawer pays from the account in the contract's storage, so withdrawals for any other would be lost. */
function expectBridge({ bridges, sequencer }: RollupSection, alloc: GenesisAlloc, input: Input): void {
  const contract = alloc.get(WITHDRAWER_ADDRESS);
  if (contract?.code !== CODE) return;
  const values = bridges.map((bridge) => ({
    ...bridge,
    address: formatAddress(bridge.account, sequencer.addressPrefix),
  }));
  if (values.some((each) => isStorageFor(each, contract.storage))) return;
  const expected = values.map(({ address, asset, precision }) => `${address} (${asset}, precision ${precision})`);
  input.fail(
    `no contract at ${WITHDRAWER_ADDRESS}, or the storage for ${expected.join(' or ') || 'a bridge account'} there`,
    'another storage',
  );
}

function readStorage(input: Input): ReadonlyMap<Hash, bigint> {
  const storage = new Map<Hash, bigint>();
  readEach(input.members(), ([key, entry]) => {
    const slot = wordText(new Input(key, key, input));
    const word = BigInt(wordText(entry));
    if (word !== 0n) storage.set(slot, word);
  });
  return storage;
}

function ignored(): undefined {
  return undefined;
}

export function nonceText(value: bigint): Data {
  return `0x${value.toString(16).padStart(16, '0')}`;
}
