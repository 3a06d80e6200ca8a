import type { Store } from '@switchyard/machine';
import {
  blockHashFromBytes,
  blockHashFromHex,
  GENESIS_BLOCK_HASH,
  rollupContentHash,
  sha256Hex,
  txHashFromHex,
} from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { checkActivations } from './activations.ts';
import type { RollupAction, RollupDefinition } from './definition.ts';
import { checkDefinition, recordDefinition } from './definition-origin.ts';
import type { RollupGenesis } from './genesis.ts';
import { putBlock } from './stored-blocks.ts';
import { blockNumbers, commitmentRows, origins } from './tables.ts';

const ZERO_HASH = blockHashFromHex('00'.repeat(32));
const START = { seconds: 0n, nanos: 0 };

/**
 * Writes the first state and block 0 into an empty store, and nothing into any other.
 *
 * @throws {InvalidConfig} where the store was begun with another genesis: going on would fork the chain.
 */
export async function applyGenesis<A extends RollupAction, E>(
  definition: RollupDefinition<A, E>,
  store: Store,
): Promise<void> {
  const { genesis } = definition;
  const snapshot = store.snapshot();
  const digest = digestOf(genesis);
  if (snapshot.height !== undefined) {
    checkDefinition(definition, snapshot);
    const origin = origins.get(snapshot);
    // Databases of older versions were begun with a file that need not name the chain of the sequencer.
    if (origin?.digest === digest || origin?.digest === digestOf({ ...genesis, sequencerChainId: '' })) {
      return checkActivations(definition.activations, commitmentRows.get(snapshot)?.soft ?? 0n, snapshot);
    }
    throw new InvalidConfig([
      {
        variable: 'GENESIS_FILEPATH',
        expected: `the genesis of rollup "${origin?.rollupName ?? ''}" that the database was begun with`,
        got: `another one, of rollup "${genesis.rollupName}"`,
        advice: 'put the old file back, or reset the state to begin anew',
      },
    ]);
  }
  const state = store.begin();
  definition.initialState(state);
  const stateLayer = store.seal(state, 0n);
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
  definition.onGenesis?.(rows);
  await store.commit(store.seal(rows, 1n));
}

function digestOf(genesis: RollupGenesis) {
  return txHashFromHex(sha256Hex(Buffer.from(canonicalText(genesis))));
}

/** A text that is equal for equal genesis documents, whatever the order of keys in the file. */
function canonicalText(genesis: object): string {
  return JSON.stringify(genesis, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    if (value instanceof Set) return [...value].sort();
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
    }
    return value;
  });
}
