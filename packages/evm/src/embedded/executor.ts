import type { Common } from '@ethereumjs/common';
import type { BlockMetadata, CommitmentState, SessionParameters } from '@switchyard/protocol';
import type { BlockInput, BlockQuery, Commitments, ExecutedBatch, ExecutionState, Executor } from '@switchyard/rollup';
import type { ChainStore, NewBlock } from '../chain/store.ts';
import type { Database } from '../database.ts';
import type { EvmGenesis } from '../genesis.ts';
import type { Senders } from '../senders/senders.ts';
import type { SealedState } from '../state/sealed.ts';
import type { StateStore } from '../state/store.ts';
import type { Address, Hash } from '../types.ts';
import { buildBlock, type Parent } from './build-block.ts';
import { cancunRules } from './interpreter.ts';

/** Executed, but not the soft block yet: nothing of it is on disk. */
interface StagedBlock {
  readonly metadata: BlockMetadata;
  readonly input: BlockInput;
  readonly block: NewBlock;
  readonly state: SealedState;
}

export interface EmbeddedDeps {
  readonly genesis: EvmGenesis;
  readonly database: Database;
  readonly state: StateStore;
  readonly chain: ChainStore;
  readonly senders: Senders;
  /** False has everything interpreted; the blocks are the same. For tests. */
  readonly direct?: boolean;
}

/** The chain in this process, as its conductor drives it. */
export class EmbeddedExecutor implements Executor {
  readonly #deps: EmbeddedDeps;
  readonly #rules: Common;
  #staged: StagedBlock[] = [];

  constructor(deps: EmbeddedDeps) {
    this.#deps = deps;
    this.#rules = cancunRules(deps.genesis.chainId);
  }

  async state(): Promise<ExecutionState> {
    return { parameters: sessionParameters(this.#deps.genesis), commitments: this.#commitments() };
  }

  async block(query: BlockQuery): Promise<BlockMetadata | undefined> {
    return this.#known(query);
  }

  async execute(parent: string, input: BlockInput): Promise<BlockMetadata> {
    this.#dropFrom(parent);
    return this.#stage(input);
  }

  async executeBatch(
    parent: string,
    inputs: readonly BlockInput[],
    { firm }: { readonly firm: boolean },
  ): Promise<ExecutedBatch> {
    this.#dropFrom(parent);
    const blocks: BlockMetadata[] = [];
    for (const input of inputs) {
      if (blocks.length > 0) await new Promise(setImmediate);
      blocks.push(await this.#stage(input));
    }
    const current = this.#commitments();
    const soft = blocks.at(-1)?.hash ?? current.soft.hash;
    const commitments = await this.commit({
      soft,
      firm: firm ? soft : current.firm.hash,
      lowestCelestiaSearchHeight: current.lowestCelestiaSearchHeight,
    });
    return { blocks, commitments };
  }

  async commit({ soft, firm, lowestCelestiaSearchHeight }: Commitments): Promise<CommitmentState> {
    const { chain, database, state } = this.#deps;
    const softBlock = this.#known({ hash: soft });
    const firmBlock = this.#known({ hash: firm });
    if (softBlock === undefined || firmBlock === undefined) throw new Error('commitment to an unknown block');
    const row = { soft: softBlock.number, firm: firmBlock.number, lowestCelestiaSearchHeight };
    const last = this.#staged.findIndex(({ metadata }) => metadata.hash === soft);
    const { commitments } = chain;
    const isSame =
      commitments.firm === row.firm && commitments.lowestCelestiaSearchHeight === lowestCelestiaSearchHeight;
    if (last < 0 && isSame) return this.#commitments();
    const moved = this.#staged.slice(0, last + 1);
    const blocks = moved.map(({ block }) => block);
    database.write((writer) => {
      for (const { metadata, state: sealed } of moved) state.write(writer, metadata.number, sealed);
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
    const { genesis, senders, state, direct = true } = this.#deps;
    const below = this.#staged.at(-1);
    const overlay = state.overlay(below?.state);
    let sealed: SealedState | undefined;
    const stateRoot = (): Hash => {
      sealed = state.seal(overlay);
      return sealed.root;
    };
    const context = { genesis, rules: this.#rules, senders, state: overlay, stateRoot, direct };
    const block = await buildBlock(this.#parent(), input, context);
    if (sealed === undefined) throw new Error('a block was built without its state root');
    const { hash, header } = block.block;
    const metadata = { number: header.number, hash, parentHash: header.parentHash, ...block.origin };
    this.#staged.push({ metadata, input, block, state: sealed });
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
      remainderOf(recipient: Address) {
        const above = staged.findLast(({ block }) => block.remainders.has(recipient));
        return above?.block.remainders.get(recipient) ?? chain.remainderOf(recipient);
      },
      hashOf: (number) => (number > soft ? staged[Number(number - soft) - 1]?.block.block.hash : chain.hashOf(number)),
    };
  }

  /** Forgets what was executed on the soft block before: executing it again gives the same. */
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

/** Block n is made from sequencer height startHeight + n - 1. */
export function sessionParameters({ rollup, sequencer, celestia }: EvmGenesis): SessionParameters {
  return {
    rollup,
    rollupStartNumber: 1n,
    rollupEndNumber: undefined,
    sequencerChainId: sequencer.chainId,
    sequencerStartHeight: sequencer.startHeight,
    celestiaChainId: celestia.chainId,
    celestiaSearchHeightMaxLookAhead: celestia.searchHeightMaxLookAhead,
  };
}

function isHash(text: string): text is Hash {
  return /^0x[0-9a-f]{64}$/.test(text);
}
