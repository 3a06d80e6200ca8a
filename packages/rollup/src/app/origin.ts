import type { Store } from '@switchyard/machine';
import {
  blockHashFromBytes,
  blockHashFromHex,
  GENESIS_BLOCK_HASH,
  rollupContentHash,
  toHex,
  txHashFromHex,
} from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { checkActivations } from './activations.ts';
import { rememberNames } from './asset-names.ts';
import { withBlock } from './block-in-work.ts';
import type { RollupDefinition } from './definition.ts';
import { checkDefinition, recordDefinition } from './definition-origin.ts';
import { genesisDigest } from './genesis.ts';
import { putBlock } from './stored-blocks.ts';
import { blockNumbers, commitmentRows, origins } from './tables.ts';

const ZERO_HASH = blockHashFromHex('00'.repeat(32));
const START = { seconds: 0n, nanos: 0 };

/**
 * Writes the first state and block 0 into an empty store, and nothing into any other.
 *
 * @throws {InvalidConfig} if the store was begun with another genesis: going on would fork the chain.
 */
export async function applyGenesis(definition: RollupDefinition, store: Store): Promise<void> {
  const { genesis, schemas } = definition;
  const snapshot = store.snapshot();
  const digest = txHashFromHex(genesisDigest(genesis, schemas?.laterMembers));
  const { stateRoot } = genesis;
  const isImported = stateRoot !== undefined && origins.get(snapshot) === undefined;
  if (snapshot.height !== undefined && !isImported) {
    const soft = commitmentRows.get(snapshot)?.soft ?? 0n;
    const isExtended = checkDefinition(definition, soft, snapshot);
    const origin = origins.get(snapshot);
    if (origin?.digest === digest) {
      checkActivations(definition.activations, soft, snapshot);
      if (!isExtended) return;
      const rows = store.begin();
      recordDefinition(definition, rows);
      return store.commit(store.seal(rows, snapshot.height + 1n));
    }
    throw new InvalidConfig({
      variable: 'GENESIS_FILEPATH',
      expected: `the genesis of rollup "${origin?.rollupName ?? ''}" that the database was begun with`,
      got: `another one, of rollup "${genesis.rollupName}"`,
      advice: 'put the old file back, or reset the state to start over',
    });
  }
  if (isImported && toHex(snapshot.root) !== stateRoot)
    throw new Error(
      `expected the state of the root ${stateRoot}, which the genesis names, got ${toHex(snapshot.root)}`,
    );
  const next = (snapshot.height ?? -1n) + 1n;
  const state = store.begin();
  if (!isImported) withBlock(0n, () => definition.initialState(state), definition.rowTables);
  const stateLayer = store.seal(state, next);
  const rows = store.begin(stateLayer);
  origins.put(rows, { rollupName: genesis.rollupName, digest });
  recordDefinition(definition, rows);
  commitmentRows.put(rows, { soft: 0n, firm: 0n, lowestCelestiaSearchHeight: genesis.daGenesisBlockHeight });
  blockNumbers.put(rows, GENESIS_BLOCK_HASH, 0n);
  putBlock(rows, 0n, {
    hash: GENESIS_BLOCK_HASH,
    parentHash: GENESIS_BLOCK_HASH,
    ...START,
    sequencerBlockHash: ZERO_HASH,
    contentHash: blockHashFromBytes(rollupContentHash(GENESIS_BLOCK_HASH, [], [], START)),
    stateRoot: blockHashFromBytes(stateLayer.root),
    receiptsHash: ZERO_HASH,
    executed: 0,
    refused: 0,
    deposits: 0,
    skippedDeposits: 0,
  });
  rememberNames(rows, definition.assetNames ?? []);
  definition.onGenesis?.(rows);
  definition.onChange?.(state, rows, (problem) => {
    throw new Error(problem);
  });
  await store.commit(store.seal(rows, next + 1n));
}
