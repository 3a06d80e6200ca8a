import { signAuthorization } from '@switchyard/evm-machine/authorization-testing';
import type { Address, Authorization } from '@switchyard/evm-machine/types';
import {
  accountIdFromBytes,
  type Deposit,
  formatAddress,
  parseAnyAddress,
  sha256Hex,
  txHashFromHex,
} from '@switchyard/protocol';
import type { BlockEntry, BlockInput } from '@switchyard/rollup/execution';
import type { Retention } from '@switchyard/service';
import { applyGenesis, hasCode } from './chain/origin.ts';
import type { NewBlock } from './chain/store.ts';
import { type BlockIndexer, ChainStore } from './chain/store.ts';
import type { Database } from './database/database.ts';
import { openMemoryDatabase } from './database/memory.ts';
import { EmbeddedExecutor } from './embedded/executor.ts';
import { AddressIndex } from './explorer/index/address-index.ts';
import { DEV_ACCOUNTS, type DevAccount } from './genesis/development-accounts.ts';
import { evmGenesisFile, type GenesisChoices } from './genesis/file.ts';
import { type EvmGenesis, parseEvmGenesis } from './genesis/genesis.ts';
import { Senders } from './senders/senders.ts';
import { StateStore } from './state/store.ts';
import { signTransaction, type UnsignedTransaction } from './transactions/sign.ts';

export { openDatabase } from './database/lmdb.ts';
export { type TestRpc, testRpc } from './rpc/testing/test-rpc.ts';
export { ATTACKS, type Attack } from './testing/attacks.ts';
export { ATTACKED, ATTACKED_BALANCE, ATTACKER, runAttack, WARM_UP_GAS } from './testing/run-attack.ts';
export { type ServedTestChain, serveTestChain } from './testing/serve-chain.ts';
export { signTransaction } from './transactions/sign.ts';

/** A bech32m address on the sequencer whose deposits the test chain credits: `nria`, 9 decimals. */
export const TEST_BRIDGE = formatAddress(accountIdFromBytes(new Uint8Array(20).fill(0xb1)));

export interface TestChainOptions {
  readonly genesis?: Partial<GenesisChoices>;
  /** Text of a genesis file instead. */
  readonly genesisText?: string;
  /** A database that was begun with the same genesis is gone on with. */
  readonly database?: Database;
  /** Without it, the index of a node. */
  readonly indexers?: (database: Database) => readonly BlockIndexer[];
  readonly retention?: Retention;
  readonly safe?: 'soft' | 'firm';
  /** False: everything is interpreted. */
  readonly direct?: boolean;
  /** Sees the input of each block that `sequence` makes. */
  readonly onInput?: (input: BlockInput) => void;
}

export interface SequenceOptions {
  /** Time of the sequencer block in seconds; a second after the one before if it is not given. */
  readonly seconds?: bigint;
  /** False does not advance the firm commitment. */
  readonly firm?: boolean;
}

/** The embedded back end in memory, with blocks on demand. */
export interface TestChain {
  readonly genesis: EvmGenesis;
  readonly database: Database;
  readonly state: StateStore;
  readonly chain: ChainStore;
  readonly senders: Senders;
  readonly executor: EmbeddedExecutor;
  /** The ten development accounts, 10,000 coins each. */
  readonly accounts: readonly TestAccount[];
  /** The account with this position. */
  account(index: number): TestAccount;
  /** Makes a block of signed transactions and other entries, in their order, and commits it. */
  sequence(entries: readonly (Uint8Array | BlockEntry)[], options?: SequenceOptions): Promise<NewBlock>;
}

export async function testChain(options: TestChainOptions = {}): Promise<TestChain> {
  const { database = openMemoryDatabase(), safe = 'soft', direct = true } = options;
  const genesis = parseEvmGenesis(options.genesisText ?? testGenesisText(options.genesis), 'test genesis');
  const state = new StateStore(database);
  const indexers = options.indexers?.(database) ?? [new AddressIndex(database)];
  const chain = new ChainStore(database, state, {
    chainId: genesis.chainId,
    safe,
    indexers,
    ...(options.retention && { retention: options.retention }),
  });
  applyGenesis(genesis, { database, state, chain, hasCode: (address) => hasCode(chain, address) });
  const senders = new Senders();
  const executor = new EmbeddedExecutor({ genesis, database, state, chain, senders, direct });
  const accounts = DEV_ACCOUNTS.map((account) => new TestAccount(account, chain));
  return {
    genesis,
    database,
    state,
    chain,
    senders,
    executor,
    accounts,
    account(index) {
      const account = accounts[index];
      if (account === undefined) throw new Error(`there are ${accounts.length} accounts`);
      return account;
    },
    async sequence(entries, { seconds, firm = true } = {}) {
      const { commitments } = await executor.state();
      const number = commitments.soft.number + 1n;
      const input = testInput(number, entries.map(getEntry), seconds ?? commitments.soft.timestamp.seconds + 1n);
      options.onInput?.(input);
      let made: NewBlock | undefined;
      const done = chain.onCommit(({ blocks }) => {
        // The published blocks are those of this executor.
        made = blocks.at(-1) as NewBlock;
      });
      await executor.executeBatch(commitments.soft.hash, [input], { firm });
      done();
      if (made === undefined) throw new Error('no block was committed');
      return made;
    },
  };
}

/** A genesis as `testChain` takes it. */
export function testGenesis(choices: Partial<GenesisChoices> = {}): EvmGenesis {
  return parseEvmGenesis(testGenesisText(choices), 'test genesis');
}

/** The text of its file. */
export function testGenesisText(choices: Partial<GenesisChoices> = {}): string {
  return evmGenesisFile({
    rollupName: 'test-evm',
    sequencerChainId: 'sequencer-test',
    startHeight: 2,
    timestamp: 1_700_000_000,
    bridges: [{ address: TEST_BRIDGE, asset: 'nria', precision: 9 }],
    // Pinned hashes are those of chains that began with Cancun and stay with it.
    forks: {},
    ...choices,
  });
}

/** The input of a block, with a sequencer block hash that is different for every number. */
export function testInput(
  number: bigint,
  entries: readonly BlockEntry[],
  seconds = 1_700_000_000n + number,
): BlockInput {
  const sequencerBlockHash = sha256Hex(Buffer.from(`sequencer block ${number}`));
  return { entries, timestamp: { seconds, nanos: 0 }, sequencerBlockHash };
}

/** A deposit over the test bridge. `amount` counts the asset's smallest unit: for `nria`, 10^9 are a coin. */
export function testDeposit(destination: string, amount: bigint, changes: Partial<Deposit> = {}): BlockEntry {
  const deposit: Deposit = {
    bridge: parseAnyAddress(TEST_BRIDGE),
    rollup: testGenesis().rollup,
    amount,
    asset: 'nria',
    destination,
    sourceTransaction: txHashFromHex(sha256Hex(Buffer.from(`${destination} ${amount}`))),
    sourceAction: 0n,
    ...changes,
  };
  return { kind: 'deposit', deposit };
}

/** A development account that signs. Nonces count on on their own, whether or not the transactions are sequenced. */
export class TestAccount {
  readonly address: Address;
  readonly #key: DevAccount['privateKey'];
  readonly #chainId: bigint;
  nonce = 0n;

  constructor({ address, privateKey }: DevAccount, { chainId }: Pick<ChainStore, 'chainId'>) {
    this.address = address;
    this.#key = privateKey;
    this.#chainId = chainId;
  }

  /** A transaction of type 2 with a fee cap of 100 gwei and a tip of 1 wei, unless the fields say otherwise. */
  sign(fields: Partial<UnsignedTransaction>): Uint8Array {
    const nonce = fields.nonce ?? this.nonce++;
    const fees = fields.gasPrice === undefined ? { maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: 1n } : {};
    return signTransaction({ chainId: this.#chainId, gasLimit: 1_000_000n, ...fees, ...fields, nonce }, this.#key);
  }

  /** Lets this account run the code of another from its nonce on (EIP-7702). */
  authorize(address: Address, nonce: bigint, chainId = this.#chainId): Authorization {
    return signAuthorization({ chainId, address, nonce }, this.#key);
  }

  transfer(to: Address, value: bigint, fields: Partial<UnsignedTransaction> = {}): Uint8Array {
    return this.sign({ to, value, gasLimit: 21_000n, ...fields });
  }

  /** @param code That creates the contract. */
  deploy(code: Uint8Array, fields: Partial<UnsignedTransaction> = {}): Uint8Array {
    return this.sign({ data: code, ...fields });
  }

  call(to: Address, data: Uint8Array, fields: Partial<UnsignedTransaction> = {}): Uint8Array {
    return this.sign({ to, data, ...fields });
  }
}

function getEntry(entry: Uint8Array | BlockEntry): BlockEntry {
  return entry instanceof Uint8Array ? { kind: 'sequencedData', data: entry } : entry;
}
