import { availableParallelism } from 'node:os';
import { collectorClient } from '@switchyard/client';
import { openLmdbStore } from '@switchyard/machine';
import { clientAuth, type ProcessContext, readTextFile, scrub } from '@switchyard/service';
import { dataFile, StoreDamaged, StoreScrub } from '@switchyard/storage';
import { composerCollector } from './composer-collector.ts';
import { type RollupConfig, rollupFields } from './config.ts';
import type { RollupDefinition } from './definition.ts';
import { mustNameSequencer } from './genesis.ts';
import { type RunningRollup, runRollup } from './run.ts';
import { openVerifierPool } from './signatures/pool.ts';
import { importState } from './state-file.ts';
import { headProblem } from './verify-head.ts';

const MAX_GENESIS_BYTES = 16 * 1_048_576;
/** More would wait for the thread of the node. */
const MAX_VERIFIERS = 4;

/** Turns the text of a genesis file into a rollup; `file` is for its messages, `sequencerChainId` the setting of the node. */
export type Define = (text: string, file: string, sequencerChainId: string | undefined) => RollupDefinition;

/**
 * Runs a rollup from its settings: genesis file, database, composer, listeners.
 *
 * @throws {InvalidConfig} if the genesis file cannot be used.
 */
export async function startRollup(
  define: Define,
  config: RollupConfig,
  context: ProcessContext,
): Promise<RunningRollup> {
  const { genesisFilepath: file, sequencerChainId } = config;
  const text = await readTextFile(file, 'GENESIS_FILEPATH', 'a genesis file', MAX_GENESIS_BYTES);
  const definition = define(text, file, sequencerChainId);
  mustNameSequencer(definition.genesis, file);
  // The conductor gives a block again that is not there.
  const store = openLmdbStore(config.dbFilepath, { isReplayed: true, onDamage: context.fail });
  context.defer(() => store.close());
  const isImported = await importState(definition, store, `${file}.state`);
  const wrong = isImported ? undefined : headProblem(store.snapshot());
  if (wrong !== undefined) throw new StoreDamaged(config.dbFilepath, dataFile(config.dbFilepath), wrong);
  context.background(scrub([new StoreScrub(config.dbFilepath, 'state')], config.scrubBytesPerSecond, context));
  const credentials = clientAuth('composer', rollupFields, config);
  const client = collectorClient({ url: config.composerAddr, credentials, links: context.links });
  context.defer(() => client.close());
  const threads = Math.min(MAX_VERIFIERS, Math.max(1, availableParallelism() - 1));
  const verifier = openVerifierPool(threads, new URL('./signatures/worker.js', import.meta.url));
  context.defer(() => verifier.close());
  const log = context.log.child({ component: 'collector' });
  const collector = composerCollector(client, definition.genesis.rollup, log);
  return runRollup(definition, config, { store, collector, verifier, handlerLimitMs: context.handlerLimitMs }, context);
}
