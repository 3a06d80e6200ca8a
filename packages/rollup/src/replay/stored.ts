import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplayReport } from '@switchyard/client';
import { openLmdbStore, type Store } from '@switchyard/machine';
import { baseInputDigest, equalBytes, nextInputDigest, type TxHash } from '@switchyard/protocol';
import { backupStore } from '@switchyard/storage';
import { type RunningChain, runningChain } from '../app/definition-origin.ts';
import { getReceipts, OutcomeIndex } from '../app/outcomes.ts';
import { type ExportedState, exportState } from '../app/state-file.ts';
import { getBlock } from '../app/stored-blocks.ts';
import { getInputDigest } from '../app/stored-digests.ts';
import { commitmentRows } from '../app/tables.ts';
import type { BlockInput } from '../execution/executor.ts';

/** Blocks that a node has stored, as of one moment. */
export interface StoredBlocks {
  readonly soft: bigint;
  readonly running: RunningChain | undefined;
  /** Undefined for a block that is not there (any more). */
  block(number: bigint): NonNullable<ReplayReport['stored']> | undefined;
  /** Whether the node has made the block from this input. */
  inputs(number: bigint, input: BlockInput): 'same' | 'other' | 'unknown';
  /** The block that holds a transaction. */
  find(transaction: TxHash): Promise<bigint | undefined>;
}

/** Copies one committed version of a node's database, which may be in use, and reads the copy. */
export function withStored<T>(directory: string, work: (stored: StoredBlocks) => Promise<T>): Promise<T> {
  return withCopy(directory, (store) => work(storedBlocks(store)));
}

/** The chain of a node's database, which may be in use. */
export function storedChain(directory: string): Promise<RunningChain | undefined> {
  return withCopy(directory, async (store) => runningChain(store.snapshot()));
}

/** Writes the newest state of a node's database, which may be in use, as a file with which another chain begins. */
export function exportDatabase(directory: string, file: string): Promise<ExportedState> {
  return withCopy(directory, (store) => exportState(store.snapshot(), file));
}

async function withCopy<T>(directory: string, work: (store: Store) => Promise<T>): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), 'switchyard-replay-'));
  try {
    await backupStore(directory, copy);
    const store = openLmdbStore(copy);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

function storedBlocks(store: Store): StoredBlocks {
  const snapshot = store.snapshot();
  const outcomes = new OutcomeIndex();
  outcomes.load(snapshot);
  return {
    running: runningChain(snapshot),
    soft: commitmentRows.get(snapshot)?.soft ?? 0n,
    block(number) {
      const block = getBlock(snapshot, number);
      if (block === undefined) return undefined;
      const codes = getReceipts(snapshot, number).map(({ code }) => String(code));
      return { hash: block.hash, stateRoot: block.stateRoot, codes };
    },
    inputs(number, input) {
      const kept = getInputDigest(snapshot, number);
      const before = getBlock(snapshot, number - 1n);
      if (kept === undefined || before === undefined) return 'unknown';
      const previous = getInputDigest(snapshot, number - 1n) ?? baseInputDigest(before.hash);
      return equalBytes(kept, nextInputDigest(previous, input)) ? 'same' : 'other';
    },
    find: async (transaction) => (await outcomes.find(() => snapshot, transaction))?.block,
  };
}
