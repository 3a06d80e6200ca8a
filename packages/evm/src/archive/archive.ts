import type { Hash, Header } from '@switchyard/evm-machine/types';
import { hexToBytes } from '@switchyard/protocol/ethereum';
import { InvalidConfig, turn } from '@switchyard/service';
import { encodeBlock } from '../blocks/block.ts';
import { hashHeader } from '../blocks/header.ts';
import { ChainStore, type NewBlock } from '../chain/store.ts';
import type { Database, Table } from '../database/database.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { type ArchiveGenesis, parseArchiveGenesis } from '../genesis/archive-genesis.ts';
import { genesisRoot, type SealedState, StateStore } from '../state/store.ts';
import { DEPOSIT_CONTRACT } from './deposits.ts';
import { decodeBlock, readBody, runBlock } from './execute.ts';
import { InvalidBlock, validateBlock } from './validate.ts';

/** A chain that was made elsewhere: imported with full validation, and then only read. */
export interface Archive {
  readonly genesis: ArchiveGenesis;
  readonly database: Database;
  readonly state: StateStore;
  readonly chain: ChainStore;
  readonly index: AddressIndex;
  /** Bytes of the genesis file that it was begun with. */
  readonly genesisText: string;
}

/**
 * Opens an archive, or begins one.
 *
 * @param genesisText A file in go-ethereum's format; undefined for an existing archive.
 * @param file Its name, for messages.
 * @throws {InvalidConfig} if it is missing, wrong, or not that of the archive.
 */
export function openArchive(database: Database, genesisText?: string, file = 'genesis'): Archive {
  const table = database.table('archive');
  const stored = table.get(GENESIS);
  const text = genesisText ?? (stored && Buffer.from(stored).toString());
  if (text === undefined)
    throw problem(file, 'the genesis of a chain that is to be imported', 'no archive is there yet');
  const genesis = parseArchiveGenesis(text, file);
  const state = new StateStore(database);
  const index = new AddressIndex(database);
  const chain = new ChainStore(database, state, { chainId: genesis.chainId, safe: 'firm', indexers: [index] });
  if (stored === undefined) begin({ database, table, state, chain, genesis, text, file });
  else {
    const expected = chain.findHash(0n);
    const got = genesisHash(genesis);
    if (got !== expected) throw problem(file, `the genesis with block 0 ${expected}, as the archive has it`, got);
  }
  return {
    genesis,
    database,
    state,
    chain,
    index,
    genesisText: text,
  };
}

/** Executed and not written. */
interface Staged {
  readonly block: NewBlock;
  readonly sealed: SealedState;
}

/** Blocks of one import between two writes to the disk: blocks lost in a kill are imported again. */
const BLOCKS_PER_WRITE = 64;

export interface ImportOptions {
  /** Ends it after a block; imported blocks are kept. */
  readonly signal?: AbortSignal;
  /** When blocks are on disk. */
  readonly onProgress?: (head: bigint) => void;
}

export interface Imported {
  /** Blocks that this import added; existing ones are not counted. */
  readonly blocks: number;
  readonly head: bigint;
}

/**
 * Adds blocks to the archive. Each is validated against its parent, executed, and compared with its header:
 * everything but proof of work. Existing blocks are passed over.
 *
 * @param blocks RLP, in the order of their numbers; block 0 may be the first.
 * @throws {InvalidBlock} at the first block that breaks a rule; those before it are kept.
 */
export async function importBlocks(
  archive: Archive,
  blocks: AsyncIterable<{ readonly bytes: Uint8Array }>,
  { signal, onProgress }: ImportOptions = {},
): Promise<Imported> {
  const { chain, state, genesis } = archive;
  const staged: Staged[] = [];
  let parent = getHead(archive);
  let count = 0;
  const write = (): void => {
    if (staged.length === 0) return;
    writeBlocks(archive, staged.splice(0));
    onProgress?.(chain.heads.latest);
  };
  const findHash = (number: bigint): Hash | undefined =>
    staged.find(({ block }) => block.block.header.number === number)?.block.block.hash ?? chain.findHash(number);
  const { depositContract = DEPOSIT_CONTRACT } = genesis.forks;
  try {
    for await (const { bytes } of blocks) {
      await turn();
      if (signal?.aborted) break;
      const decoded = named(`after block ${parent.header.number}`, () => decodeBlock(bytes, genesis.rules));
      const { number } = decoded.header;
      try {
        if (number <= parent.header.number) {
          expectKnown(chain, number, decoded.hash, staged.length > 0 || count > 0);
          continue;
        }
        const read = readBody(decoded);
        validateBlock(read, parent, decoded.rules);
        const overlay = state.overlay(staged.at(-1)?.sealed);
        const executed = await runBlock(read, decoded.rules, overlay, {
          ...{ findHash, depositContract },
          root: () => state.seal(overlay).root,
        });
        const block = { ...executed, ...NOTHING_ELSE, origin: toOrigin(decoded.header.timestamp) };
        staged.push({ block, sealed: state.seal(overlay) });
      } catch (error) {
        throw withPlace(`block ${number}`, error);
      }
      parent = decoded;
      count++;
      if (staged.length >= BLOCKS_PER_WRITE) write();
    }
  } finally {
    write();
  }
  return { blocks: count, head: chain.heads.latest };
}

function named<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw withPlace(place, error);
  }
}

function withPlace(place: string, error: unknown): unknown {
  return error instanceof InvalidBlock ? new InvalidBlock(`${place}: ${error.message}`, { cause: error }) : error;
}

const GENESIS = Buffer.from('genesis');
const NOTHING_ELSE = { refused: [], remainders: new Map(), nextWithdrawalIndex: 0n };

function toOrigin(seconds: bigint): NewBlock['origin'] {
  return { sequencerBlockHash: '', timestamp: { seconds, nanos: 0 } };
}

function begin(
  options: Omit<Archive, 'index' | 'genesisText'> & {
    readonly table: Table;
    readonly text: string;
    readonly file: string;
  },
): void {
  const { database, table, state, chain, genesis, text, file } = options;
  if (state.initialised) throw problem(file, 'an empty database', 'that of a rollup node');
  database.write((w) => {
    const stateRoot = state.initialise(w, toAlloc(genesis));
    const header = { ...genesis.header, stateRoot };
    const unsized = { hash: hashHeader(header), header, transactions: [], withdrawals: [], size: 0 };
    const block = { ...unsized, size: encodeBlock(unsized).length };
    const origin = toOrigin(header.timestamp);
    chain.write(w, [{ block, receipts: [], internal: [], origin, ...NOTHING_ELSE }], commitments(0n));
    w.put(table, GENESIS, Buffer.from(text));
  });
}

function genesisHash(genesis: ArchiveGenesis): Hash {
  return hashHeader({ ...genesis.header, stateRoot: genesisRoot(toAlloc(genesis)) });
}

function toAlloc({ alloc }: ArchiveGenesis) {
  return new Map([...alloc].map(([address, account]) => [address, { ...account, code: hexToBytes(account.code) }]));
}

function commitments(number: bigint) {
  return { soft: number, firm: number, lowestCelestiaSearchHeight: 0n };
}

function getHead({ chain }: Archive): { readonly hash: Hash; readonly header: Header } {
  const found = chain.header(chain.heads.latest);
  if (found === undefined) throw new Error('the archive has no block 0');
  return found;
}

function writeBlocks({ database, state, chain }: Archive, staged: readonly Staged[]): void {
  const last = staged.at(-1)?.block.block.header.number;
  if (last === undefined) return;
  const blocks = staged.map(({ block }) => block);
  database.write((w) => {
    for (const { block, sealed } of staged) {
      state.write(w, block.block.header.number, sealed);
    }
    chain.write(w, blocks, commitments(last));
  });
  chain.publish(blocks);
}

/** @param begun Whether blocks of this import were new: then an older number is a mistake of the file. */
function expectKnown(chain: ChainStore, number: bigint, hash: Hash, begun: boolean): void {
  if (begun) throw new InvalidBlock('comes after later blocks');
  const known = chain.findHash(number);
  if (known !== hash) throw new InvalidBlock(`the archive has another block of that number: ${known}, got ${hash}`);
}

function problem(file: string, expected: string, got: string): InvalidConfig {
  return new InvalidConfig({ variable: file, expected, got, advice: 'choose another file, or another directory' });
}
