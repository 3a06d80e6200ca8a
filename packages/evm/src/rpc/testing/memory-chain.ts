import type { AccountState, StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash, Header, Log } from '@switchyard/evm-machine/types';
import type {
  ChainReader,
  Committed,
  FoundLog,
  Heads,
  IncludedTransaction,
  StoredBlock,
  StoredReceipt,
} from '../../chain/chain.ts';
import { iterateLogs, MAX_LOG_BYTES } from '../../chain/logs.ts';
import { matches } from '../log-query.ts';

/** A transaction of a block that is given to the chain below: it need not make sense. */
export interface GivenTransaction extends IncludedTransaction {
  readonly logs?: readonly Log[];
  readonly gasUsed?: bigint;
  /** Wei for each unit of gas, above the base fee. */
  readonly tip?: bigint;
}

export interface MemoryChain extends ChainReader {
  /** Commits one block for each list. The block and its hash follow from number and contents. */
  commit(...blocks: readonly (readonly GivenTransaction[])[]): void;
  /** How many blocks `logs` went through. */
  readonly searched: number;
}

const ZERO: Hash = `0x${'0'.repeat(64)}`;
export const GAS_LIMIT = 30_000_000n;

/** Hash of the block with that number. */
export function makeHash(number: bigint): Hash {
  return `0x${'b'.repeat(48)}${number.toString(16).padStart(16, '0')}`;
}

/** A chain of blocks as given, from block 0 on. Accounts are the same after every block. */
export function memoryChain(accounts: ReadonlyMap<Address, AccountState> = new Map()): MemoryChain {
  const blocks: { readonly block: StoredBlock; readonly receipts: readonly StoredReceipt[] }[] = [];
  const listeners = new Set<(committed: Committed) => void>();
  const places = new Map<Hash, { readonly block: bigint; readonly index: number }>();
  let searched = 0;
  const latest = (): bigint => BigInt(blocks.length - 1);
  const heads = (): Heads => ({ latest: latest(), safe: latest(), finalized: latest() > 2n ? latest() - 2n : 0n });
  const entry = (ref: bigint | Hash) =>
    typeof ref === 'bigint' ? blocks[Number(ref)] : blocks.find(({ block }) => block.hash === ref);
  const state: StateReader = {
    account: (address) => accounts.get(address),
    storage: () => 7n,
    code: () => new Uint8Array([0x60, 0x00]),
  };

  const append = (given: readonly GivenTransaction[]): Committed['blocks'][number] => {
    const number = BigInt(blocks.length);
    const block = makeBlock(number, given);
    const receipts = given.map((each, index) => makeReceipt(each, index, given));
    blocks.push({ block, receipts });
    given.forEach(({ hash }, index) => void places.set(hash, { block: number, index }));
    return { block, receipts, refused: [] };
  };
  append([]);

  return {
    chainId: 1_337n,
    get heads() {
      return heads();
    },
    get searched() {
      return searched;
    },
    findHash: (number) => entry(number)?.block.hash,
    header(ref) {
      const block = entry(ref)?.block;
      if (block === undefined) return undefined;
      return { hash: block.hash, header: block.header, size: block.size, transactions: block.transactions.length };
    },
    block: (ref) => entry(ref)?.block,
    receipts: (ref) => entry(ref)?.receipts,
    transaction: (hash) => places.get(hash),
    refusal: () => undefined,
    refusedIn: () => [],
    accessListIn: () => undefined,
    state: () => state,
    proof: (_, address, slots) => ({
      account: accounts.get(address),
      nodes: [new Uint8Array([0xc0])],
      storage: slots.map((slot) => ({ slot, value: 7n, nodes: [] })),
    }),
    logs({ from, to, addresses, topics }, limit, watch) {
      const found: FoundLog[] = [];
      let bytes = 0;
      for (let number = from; number <= to; number += 1n) {
        if (bytes > MAX_LOG_BYTES) return { logs: found, more: true };
        searched += 1;
        watch?.(0);
        const each = entry(number);
        if (each === undefined) continue;
        for (const log of iterateLogs(each.block, each.receipts)) {
          if (!matches({ addresses, topics }, log.log)) continue;
          if (found.length === limit) return { logs: found, more: true };
          found.push(log);
          bytes += log.log.data.length;
        }
      }
      return { logs: found, more: false };
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    commit(...lists) {
      const committed = { blocks: lists.map(append), heads: heads() };
      for (const listener of listeners) listener(committed);
    },
  };
}

function makeBlock(number: bigint, given: readonly GivenTransaction[]): StoredBlock {
  const header: Header = {
    parentHash: number === 0n ? ZERO : makeHash(number - 1n),
    uncleHash: ZERO,
    coinbase: `0x${'0'.repeat(40)}`,
    stateRoot: ZERO,
    transactionsRoot: ZERO,
    receiptsRoot: ZERO,
    logsBloom: `0x${'0'.repeat(512)}`,
    difficulty: 0n,
    number,
    gasLimit: GAS_LIMIT,
    gasUsed: given.reduce((sum, { gasUsed = 21_000n }) => sum + gasUsed, 0n),
    timestamp: 1_000n + number,
    extraData: '0x',
    mixHash: ZERO,
    nonce: '0x0000000000000000',
    baseFeePerGas: 1_000n,
    withdrawalsRoot: ZERO,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: ZERO,
    requestsHash: undefined,
    blockAccessListHash: undefined,
    slotNumber: undefined,
  };
  return { hash: makeHash(number), header, transactions: given, withdrawals: [], size: 500 };
}

function makeReceipt(
  { gasUsed = 21_000n, tip = 0n, logs = [] }: GivenTransaction,
  index: number,
  given: readonly GivenTransaction[],
): StoredReceipt {
  return {
    type: 2,
    status: 1,
    gasUsed,
    cumulativeGasUsed: given.slice(0, index + 1).reduce((sum, each) => sum + (each.gasUsed ?? 21_000n), 0n),
    effectiveGasPrice: 1_000n + tip,
    contractAddress: undefined,
    logs,
  };
}
