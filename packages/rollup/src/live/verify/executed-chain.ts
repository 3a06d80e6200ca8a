import { createMemoryStore, type Overlay, type Row, type Snapshot, type Store } from '@switchyard/machine/browser';
import { type BlockHash, blockHashFromHex, GENESIS_BLOCK_HASH, toHex } from '@switchyard/protocol';
import { withBlock } from '../../app/block-in-work.ts';
import type { Rules } from '../../app/definition.ts';
import { executeBlock, type KnownTransactions } from '../../app/execute-block.ts';
import { executedBlock } from '../../app/executed-block.ts';
import { refusingBugs } from '../../app/refusing-bugs.ts';
import { sealedWorld } from '../../app/sealed-world.ts';
import { bringSignatures } from '../../app/transaction.ts';
import type { BlockInput } from '../../execution/executor.ts';

/** The newest executed block. */
export interface ChainHead {
  readonly number: bigint;
  readonly hash: BlockHash;
  /** Hash of the sequencer block that it is made from, in hex; empty for block 0. */
  readonly sequencerHash: string;
  /** Root of the state after it, in hex. */
  readonly stateRoot: string;
}

/** A row, or the key of a deleted one. */
export type ChangedRow = readonly [key: string, value: Uint8Array | undefined];

/** A chain that is executed from its genesis on, in memory: its newest state, without indexes and derived tables. */
export class ExecutedChain {
  readonly #rules: Rules;
  readonly #store: Store;
  readonly #changed = new Set<string>();
  #head: ChainHead;

  private constructor(rules: Rules, store: Store, head: ChainHead) {
    this.#rules = { ...rules, actions: refusingBugs(rules) };
    this.#store = store;
    this.#head = head;
  }

  /** @throws {Error} for a chain that begins with the state of another one, which is not in its genesis. */
  static async begin(rules: Rules): Promise<ExecutedChain> {
    if (rules.genesis.stateRoot !== undefined)
      throw new Error('the chain begins with an exported state, and can be executed by nodes that have the file alone');
    const { store, stateRoot } = await filled(0n, (state) =>
      withBlock(0n, () => rules.initialState(state), rules.rowTables),
    );
    return new ExecutedChain(rules, store, { number: 0n, hash: GENESIS_BLOCK_HASH, sequencerHash: '', stateRoot });
  }

  /** @returns undefined if the rows do not have the root of the block. */
  static async resume(rules: Rules, head: ChainHead, rows: readonly Row[]): Promise<ExecutedChain | undefined> {
    const { store, stateRoot } = await filled(head.number, (state) => {
      for (const [key, value] of rows) state.put(key, value);
    });
    return stateRoot === head.stateRoot ? new ExecutedChain(rules, store, head) : undefined;
  }

  get head(): ChainHead {
    return this.#head;
  }

  /** Good until the next block is executed. */
  get state(): Snapshot {
    return this.#store.snapshot();
  }

  /** @returns the changed keys. @throws {Error} if this program cannot execute the block; the chain is as before then. */
  async execute(input: BlockInput, known: KnownTransactions): Promise<readonly string[]> {
    const rules = this.#rules;
    const parentHash = this.#head.hash;
    const number = this.#head.number + 1n;
    await bringSignatures(rules.genesis);
    const state = this.#store.begin();
    const missing = rules.missingUpgrade?.(number, state);
    if (missing !== undefined) throw new Error(missing);
    const outcome = sealedWorld(() =>
      withBlock(number, () => executeBlock(rules, state, input, { number, known }), rules.rowTables),
    );
    const layer = this.#store.seal(state, number);
    const { timestamp, sequencerBlockHash: sequencerHash } = input;
    const place = { number, parentHash, sequencerBlockHash: blockHashFromHex(sequencerHash), timestamp };
    const { hash } = executedBlock(place, outcome, layer.root);
    await this.#store.commit(layer);
    this.#head = { number, hash, sequencerHash, stateRoot: toHex(layer.root) };
    const changed = [...state.keys()];
    for (const key of changed) this.#changed.add(key);
    return changed;
  }

  /** All rows, or those changed since the call before; undefined for deleted ones. */
  takeRows(isWhole: boolean): readonly ChangedRow[] {
    const { state } = this;
    const changed = [...this.#changed].map((key) => [key, state.get(key)] as const);
    this.#changed.clear();
    return isWhole ? [...state.range({ prefix: '', limit: Number.MAX_SAFE_INTEGER })] : changed;
  }
}

/** A store with one version. */
async function filled(height: bigint, fill: (state: Overlay) => void) {
  const store = createMemoryStore();
  const state = store.begin();
  fill(state);
  const layer = store.seal(state, height);
  await store.commit(layer);
  return { store, stateRoot: toHex(layer.root) };
}
