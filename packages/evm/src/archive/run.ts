import { type ProcessContext, readTextFile, systemClock } from '@switchyard/service';
import { openDatabase } from '../database/lmdb.ts';
import { MAX_GENESIS_BYTES } from '../genesis/read.ts';
import { toVersion } from '../rpc/node-methods.ts';
import { ownServing, serveRpc } from '../rpc/serve.ts';
import { HERE_MS, longInThreads } from '../threads/in-threads.ts';
import { hasOwnThreads, openThreads } from '../threads/open.ts';
import { type Archive, importBlocks, openArchive } from './archive.ts';
import { readBlocksFile } from './blocks-file.ts';
import type { ArchiveConfig } from './config.ts';
import { archiveMethods } from './read-only.ts';

type Context = Pick<ProcessContext, 'log' | 'signal' | 'metrics' | 'defer' | 'fail'>;

/** Blocks between two lines of progress. */
const PROGRESS = 1_024n;

/**
 * Imports the configured files, then serves the chain or, if it shall not be served, returns.
 *
 * @returns the address of JSON-RPC; undefined if it does not.
 * @throws {InvalidConfig} for a genesis that cannot be used. @throws {InvalidBlock} for a block that breaks a rule.
 */
export async function runArchive(config: ArchiveConfig, context: Context): Promise<string | undefined> {
  const { log, signal } = context;
  const { genesisFilepath, blocksFilepath } = config;
  const genesis =
    genesisFilepath === undefined
      ? undefined
      : await readTextFile(genesisFilepath, 'SVC_EVM_ARCHIVE_GENESIS_FILEPATH', 'a genesis file', MAX_GENESIS_BYTES);
  const database = openDatabase(config.dbFilepath, { onDamage: context.fail });
  context.defer(() => database.close());
  const archive = openArchive(database, genesis, genesisFilepath ?? 'SVC_EVM_ARCHIVE_GENESIS_FILEPATH');
  if (blocksFilepath !== undefined) await importFile(archive, blocksFilepath, context);
  if (!config.serve || signal.aborted) return undefined;
  const url = await serve(archive, config, context);
  log.info({ url, chainId: archive.chain.chainId, blocks: archive.chain.heads.latest }, 'archive answers');
  return url;
}

async function importFile(archive: Archive, path: string, { log, signal }: Context): Promise<void> {
  const started = systemClock.now();
  let logged = archive.chain.heads.latest;
  const { blocks, head } = await importBlocks(archive, readBlocksFile(path), {
    signal,
    onProgress(reached) {
      if (reached - logged < PROGRESS) return;
      logged = reached;
      log.info({ head: reached }, 'blocks imported so far');
    },
  });
  log.info({ blocks, head, seconds: Math.round((systemClock.now() - started) / 1_000) }, 'blocks imported');
}

async function serve(archive: Archive, config: ArchiveConfig, context: Context): Promise<string> {
  const { log, metrics } = context;
  const { chain, genesis, genesisText: archiveGenesis } = archive;
  const bounds = { maxLogs: config.maxLogs, maxBlockRange: config.maxBlockRange };
  const calls = { gasCap: BigInt(config.rpcGasCap), timeoutMs: config.callTimeoutMs };
  const { forks } = genesis;
  const threads = hasOwnThreads(config)
    ? openThreads({ chainId: chain.chainId, forks, archiveGenesis, safe: 'firm' }, config, context, calls)
    : undefined;
  const hereMs = threads && HERE_MS;
  const clientVersion = toVersion('switchyard-archive/');
  const here = archiveMethods(archive, { log, calls: { ...calls, hereMs }, hereMs, bounds, metrics, clientVersion });
  const rpc = await serveRpc({
    methods: threads === undefined ? here : longInThreads(here, threads),
    ...ownServing('SVC_EVM_ARCHIVE_', config, chain, context),
    bounds,
  });
  context.defer(() => rpc.close());
  return rpc.http.url;
}
