import type { Hash } from '@switchyard/evm-machine/types';
import type { BlockMetadata, CommitmentState, SessionParameters } from '@switchyard/protocol';
import {
  type BatchOptions,
  type BlockInput,
  type BlockQuery,
  type Commitments,
  type ExecutedBatch,
  type ExecutionState,
  type Executor,
  executeInTurn,
} from '@switchyard/rollup/execution';
import type { Database, DbWriter, Table } from '../database/database.ts';
import type { Parent } from '../embedded/build-block.ts';
import { numberKey } from './rows.ts';
import type { ChainStore, NewBlock } from './store.ts';

/** A back end: it produces blocks and keeps their state in its own way. `S` is the state that it needs to build on one. */
export interface BlockMaker<S> {
  /** @param below What it made with the parent; undefined if that is committed. */
  make(
    parent: Parent,
    input: BlockInput,
    below: S | undefined,
  ): Promise<{ readonly block: NewBlock; readonly made: S }>;
  /** Before pointers move. If it throws, they stay unchanged. */
  beforeCommit?(heads: { readonly soft: BlockMetadata; readonly firm: BlockMetadata }): Promise<void>;
  /** Inside the transaction that stores the block, in the order of numbers. */
  write?(writer: DbWriter, number: bigint, made: S): void;
}

/** Executed, but not the soft block yet: nothing of it is on disk. */
interface StagedBlock<S> {
  readonly metadata: BlockMetadata;
  readonly block: NewBlock;
  readonly made: S;
  readonly digest: Uint8Array | undefined;
}

export interface StagingDeps<S> {
  readonly parameters: SessionParameters;
  readonly database: Database;
  readonly chain: ChainStore;
  readonly maker: BlockMaker<S>;
}

/** The chain as its conductor drives it, regardless of the executor of its blocks. */
export class StagingExecutor<S> implements Executor {
  readonly #deps: StagingDeps<S>;
  /** Digests of the inputs of each block and all below it; block 0 has none. */
  readonly #digests: Table;
  #staged: StagedBlock<S>[] = [];

  constructor(deps: StagingDeps<S>) {
    this.#deps = deps;
    this.#digests = deps.database.table('inputDigests');
  }

  async state(): Promise<ExecutionState> {
    const { firmMeaning } = this.#deps.chain.commitments;
    return { parameters: this.#deps.parameters, commitments: this.#commitments(), firmMeaning };
  }

  async block(query: BlockQuery): Promise<BlockMetadata | undefined> {
    return this.#known(query);
  }

  async inputDigest(number: bigint): Promise<Uint8Array | undefined> {
    return number < 0n || number > this.#deps.chain.commitments.soft ? undefined : this.#digests.get(numberKey(number));
  }

  async execute(parent: string, input: BlockInput): Promise<BlockMetadata> {
    this.#dropFrom(parent);
    return this.#stage(input);
  }

  async executeBatch(parent: string, inputs: readonly BlockInput[], options: BatchOptions): Promise<ExecutedBatch> {
    this.#dropFrom(parent);
    return executeInTurn(this, (input) => this.#stage(input), inputs, options);
  }

  async commit({ soft, firm, lowestCelestiaSearchHeight, firmMeaning }: Commitments): Promise<CommitmentState> {
    const { chain, database, maker } = this.#deps;
    const softBlock = this.#known({ hash: soft });
    const firmBlock = this.#known({ hash: firm });
    if (softBlock === undefined || firmBlock === undefined) throw new Error('commitment to an unknown block');
    const row = { soft: softBlock.number, firm: firmBlock.number, lowestCelestiaSearchHeight, firmMeaning };
    const last = this.#staged.findIndex(({ metadata }) => metadata.hash === soft);
    const { commitments } = chain;
    const isSame =
      commitments.firm === row.firm &&
      commitments.lowestCelestiaSearchHeight === lowestCelestiaSearchHeight &&
      (firmMeaning ?? commitments.firmMeaning) === commitments.firmMeaning;
    if (last < 0 && isSame) return this.#commitments();
    await maker.beforeCommit?.({ soft: softBlock, firm: firmBlock });
    const moved = this.#staged.slice(0, last + 1);
    const blocks = moved.map(({ block }) => block);
    database.write((writer) => {
      for (const { metadata, made, digest } of moved) {
        maker.write?.(writer, metadata.number, made);
        if (digest !== undefined) writer.put(this.#digests, numberKey(metadata.number), digest);
      }
      chain.write(writer, blocks, row);
    });
    this.#staged = this.#staged.slice(last + 1);
    chain.publish(blocks);
    return this.#commitments();
  }

  #known(query: BlockQuery): BlockMetadata | undefined {
    const staged = this.#staged.find(({ metadata }) =>
      'hash' in query ? metadata.hash === query.hash : metadata.number === query.number,
    );
    if (staged !== undefined) return staged.metadata;
    const { chain } = this.#deps;
    if ('number' in query) return query.number >> 63n === 0n ? chain.metadata(query.number) : undefined;
    return isHash(query.hash) ? chain.metadata(query.hash) : undefined;
  }

  /** Executes a block on the last staged one. */
  async #stage(input: BlockInput): Promise<BlockMetadata> {
    const { block, made } = await this.#deps.maker.make(this.#parent(), input, this.#staged.at(-1)?.made);
    const { hash, header } = block.block;
    const metadata = { number: header.number, hash, parentHash: header.parentHash, ...block.origin };
    this.#staged.push({ metadata, block, made, digest: input.digest });
    return metadata;
  }

  /** The block that the next one is built on: the last staged one, or the soft one. */
  #parent(): Parent {
    const { chain } = this.#deps;
    const staged = [...this.#staged];
    const last = staged.at(-1)?.block;
    const { soft } = chain.commitments;
    const stored = last?.block ?? chain.header(soft);
    if (stored === undefined) throw new Error(`the soft block ${soft} is not in the database`);
    return {
      hash: stored.hash,
      header: stored.header,
      nextWithdrawalIndex: last?.nextWithdrawalIndex ?? chain.nextWithdrawalIndex,
      getRemainder(recipient) {
        const above = staged.findLast(({ block }) => block.remainders.has(recipient));
        return above?.block.remainders.get(recipient) ?? chain.getRemainder(recipient);
      },
      findHash: (number) =>
        number > soft ? staged[Number(number - soft) - 1]?.block.block.hash : chain.findHash(number),
    };
  }

  /** Forgets earlier executions on the soft block: executing it again gives the same. */
  #dropFrom(parent: string): void {
    if (parent !== this.#commitments().soft.hash) throw new Error('executing on a block that is not the soft one');
    this.#staged = [];
  }

  #commitments(): CommitmentState {
    const { chain } = this.#deps;
    const { soft, firm, lowestCelestiaSearchHeight } = chain.commitments;
    const softBlock = chain.metadata(soft);
    const firmBlock = chain.metadata(firm);
    if (softBlock === undefined || firmBlock === undefined)
      throw new Error('the database has no soft or no firm block');
    return { soft: softBlock, firm: firmBlock, lowestCelestiaSearchHeight };
  }
}

function isHash(text: string): text is Hash {
  return /^0x[0-9a-f]{64}$/.test(text);
}
