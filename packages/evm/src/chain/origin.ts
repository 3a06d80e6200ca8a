import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import type { Address } from '@switchyard/evm-machine/types';
import { hexToBytes, keccak256 } from '@switchyard/protocol/ethereum';
import { InvalidConfig } from '@switchyard/service';
import { encodeBlock } from '../blocks/block.ts';
import { hashHeader } from '../blocks/header.ts';
import type { Database } from '../database/database.ts';
import { type EvmGenesis, genesisHeader } from '../genesis/genesis.ts';
import { NO_DEPOSITS } from '../rules/rules.ts';
import type { StateStore } from '../state/store.ts';
import type { ChainStore } from './store.ts';
import { encodeForkTimes, forkTimes, rescheduled } from './upgrade.ts';

/**
 * Writes block 0 and its state into an empty database, and into any other no more than forks that are newly planned.
 *
 * @param hasCode Of an account after the newest block; absent if the state is elsewhere.
 * @throws {InvalidConfig} if the database was begun with another genesis: going on would fork the chain.
 */
export function applyGenesis(
  genesis: EvmGenesis,
  {
    database,
    state,
    chain,
    hasCode,
  }: {
    readonly database: Database;
    readonly state: Pick<StateStore, 'initialise'>;
    readonly chain: ChainStore;
    readonly hasCode?: (address: Address) => boolean;
  },
): void {
  const digest = computeDigest(genesis);
  const { origin } = chain;
  if (origin !== undefined) {
    const [found, name] = [origin.subarray(0, 32), Buffer.from(origin.subarray(32)).toString()];
    if (Buffer.compare(found, digest) === 0) {
      plan(genesis, { database, chain, hasCode });
      return;
    }
    throw new InvalidConfig({
      variable: 'SVC_EVM_GENESIS_FILEPATH',
      expected: `the genesis of rollup "${name}" that the database was begun with`,
      got: `another one, of rollup "${genesis.rollupName}"`,
      advice: 'put the old file back, or reset the state to start over',
    });
  }
  const alloc = new Map(
    [...genesis.alloc].map(([address, account]) => [address, { ...account, code: hexToBytes(account.code) }]),
  );
  database.write((writer) => {
    const header = genesisHeader(genesis, state.initialise(writer, alloc));
    const unsized = { hash: hashHeader(header), header, transactions: [], withdrawals: [], size: 0 };
    const block = { ...unsized, size: encodeBlock(unsized).length };
    chain.writeOrigin(writer, Buffer.concat([digest, Buffer.from(genesis.rollupName)]));
    chain.writeForks(writer, encodeForkTimes(genesis.forks));
    const origin = { sequencerBlockHash: '', timestamp: { seconds: header.timestamp, nanos: 0 } };
    const nothing = { receipts: [], internal: [], refused: [], remainders: new Map(), nextWithdrawalIndex: 0n };
    const lowestCelestiaSearchHeight = genesis.celestia.startHeight;
    const deposits = new Map(genesis.bridges.map(({ account }) => [account, NO_DEPOSITS]));
    chain.write(writer, [{ block, origin, ...nothing, deposits }], { soft: 0n, firm: 0n, lowestCelestiaSearchHeight });
  });
}

/** Takes over when forks begin, as far as no block that exists depends on it. */
function plan(
  { forks }: EvmGenesis,
  {
    database,
    chain,
    hasCode,
  }: {
    readonly database: Database;
    readonly chain: ChainStore;
    readonly hasCode: ((address: Address) => boolean) | undefined;
  },
): void {
  const head = chain.header(chain.heads.latest);
  if (head === undefined) throw new Error('the newest block is not in the database');
  const kept = forkTimes(chain.forks);
  if (!rescheduled(kept, forks, { timestamp: head.header.timestamp, hasCode })) return;
  database.write((writer) => chain.writeForks(writer, encodeForkTimes(forks)));
}

/** Everything that the file defines about the chain, regardless of its order and spelling, except of when its forks begin. */
function computeDigest({ forks: _, ...genesis }: EvmGenesis): Uint8Array {
  const text = JSON.stringify(genesis, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : undefined;
    return entries?.sort(([left], [right]) => (left < right ? -1 : 1)) ?? value;
  });
  return keccak256(Buffer.from(text));
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an account has code after the newest block. */
export function hasCode(chain: ChainStore, address: Address): boolean {
  const account = chain.state(chain.heads.latest).account(address);
  return (account?.codeHash ?? EMPTY_CODE_HASH) !== EMPTY_CODE_HASH;
}
