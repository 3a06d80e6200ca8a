import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbStore } from '@switchyard/machine';
import { timestampFromMillis } from '@switchyard/protocol';
import { mempool, ownSequencer, sequencerService as sequencerMessages } from '@switchyard/protocol/gen';
import {
  InvalidConfig,
  ownListener,
  type ProcessContext,
  pageAccess,
  productVersion,
  scrub,
  serveGrpc,
  systemClock,
  toRetention,
  wallClock,
} from '@switchyard/service';
import { type ScrubSource, StoreScrub } from '@switchyard/storage';
import { SequencerApplication } from './app/application.ts';
import { LARGEST_LIMIT } from './app/genesis.ts';
import { fields, type SequencerConfig, soloFiles } from './config.ts';
import { createCometEngine } from './engine/comet/engine.ts';
import { Snapshots } from './engine/comet/snapshots.ts';
import type { Engine, SoloDeps, SoloEngine } from './engine/engine.ts';
import { parseGenesisFile } from './engine/genesis-file.ts';
import { createSoloEngine } from './engine/solo/engine.ts';
import { soloSupport } from './engine/solo/support.ts';
import { readValidatorKey } from './engine/validator-key.ts';
import { checkAppState, checkDatabase } from './genesis-check.ts';
import { nodeService } from './grpc/node-service.ts';
import { sequencerService } from './grpc/sequencer-service.ts';
import { SignedBlocks } from './grpc/source.ts';
import { transactionService } from './grpc/transaction-service.ts';
import { MEMPOOL_DEFAULTS } from './mempool/mempool.ts';
import { observeApplication } from './metrics.ts';

/** Part of the database file in this process's memory. State is small and read in order, so more would not help. */
const RESIDENT_BYTES = 32 * 1_048_576;

const MEGABYTE = 1_000_000;

/** Encodings around the data of a block, and blocks that hold more than data. */
const MESSAGE_OVERHEAD_BYTES = 4 * 1_048_576;

/** Until the chain is known: no genesis may set limits above this. */
const LARGEST_LIMITS: Limits = { maxTransactionBytes: LARGEST_LIMIT, maxSequencedBytesPerBlock: LARGEST_LIMIT };

type Limits = ReturnType<typeof checkAppState>;

/**
 * Builds a node from its parts and runs it until the signal aborts.
 *
 * @param offer Takes the function with which a solo engine makes one block; none is made without it then.
 */
export async function runNode(config: SequencerConfig, context: ProcessContext, offer?: SoloDeps['offer']) {
  const { log, metrics, signal, defer, fail } = context;
  const solo = config.engine === 'solo' ? readSoloFiles(config, context) : undefined;

  const directory = (name: string): string => {
    const path = join(config.dbFilepath, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  // The solo engine has each block on disk before the state after it, and executes it again.
  const isReplayed = solo !== undefined;
  const store = openLmdbStore(directory('app'), { residentBytes: RESIDENT_BYTES, isReplayed, onDamage: fail });
  defer(() => store.close());
  if (solo !== undefined) checkDatabase(store.snapshot(), solo.genesisFile.genesis, config.dbFilepath);

  const retainNonces = findLimit(config.retainNonces);
  const retainMegabytes = findLimit(config.retainMegabytes);
  const app = new SequencerApplication(
    {
      version: productVersion(),
      mempool: { ...MEMPOOL_DEFAULTS, maxParked: config.mempoolParkedMaxTxCount, maxBytes: config.mempoolMaxBytes },
      retention: { ...toRetention(config), nonces: retainNonces, evidence: solo === undefined },
    },
    {
      store,
      now: systemClock.now,
      observer: observeApplication(log, metrics),
      // The engine is made with the pool of the application, and starts after it.
      floor: () => engine.floor?.() ?? 0n,
      ...(solo !== undefined && { engineSupport: soloSupport(solo.signer.publicKey) }),
    },
  );
  const limits = solo?.limits ?? app.chain ?? LARGEST_LIMITS;
  const snapshots = () =>
    new Snapshots(
      { directory: directory('snapshots'), interval: BigInt(config.snapshotInterval), keep: config.snapshotsKept },
      { store, log, restored: () => app.reload() },
    );
  const own = ownListener(fields, config, 'grpcAddr', context);
  const engine: Engine & Partial<Pick<SoloEngine, 'floor'>> =
    solo === undefined
      ? createCometEngine(
          { directory: directory('comet'), listen: config.listenAddr, rpcUrl: config.cometbftRpcUrl },
          { log, stateSync: snapshots(), onDamage: fail },
        )
      : createSoloEngine(
          {
            directory: directory('engine'),
            genesis: solo.genesisFile,
            rpc: config.rpcAddr,
            rpcAccess: pageAccess(own.access, {
              origins: config.rpcCorsOrigin,
              setting: fields.rpcCorsOrigin.names[0],
              // Without a list every page may call and none may read, as CometBFT has it: transactions are signed.
              foreignPages: config.rpcCorsOrigin.length === 0 ? 'everything' : 'read',
            }),
            blockIntervalMs: config.blockIntervalMs,
            emptyBlockIntervalMs: config.emptyBlockIntervalMs,
            quietBlockIntervalMs: config.quietBlockIntervalMs,
            maxTxBytes: limits.maxTransactionBytes,
            retainBytes: retainMegabytes === undefined ? undefined : retainMegabytes * MEGABYTE,
          },
          {
            signer: solo.signer,
            pool: app.mempool,
            now: () => timestampFromMillis(wallClock.unixMs()),
            links: context.links,
            log,
            onDamage: fail,
            offer,
          },
        );

  context.background(scrub(getStores(config, directory), config.scrubBytesPerSecond, context));

  const source = new SignedBlocks(app, engine);
  const grpc = await serveGrpc({
    ...own,
    services: [sequencerMessages.SequencerService, mempool.TransactionService, ownSequencer.NodeService],
    routes: (router) => {
      router.service(sequencerMessages.SequencerService, sequencerService(app));
      router.service(mempool.TransactionService, transactionService(app));
      router.service(ownSequencer.NodeService, nodeService({ app, source, clock: systemClock, retainNonces }));
    },
    large: [
      sequencerMessages.SequencerService.method.getSequencerBlock,
      sequencerMessages.SequencerService.method.getFilteredSequencerBlock,
    ],
    maxMessageBytes:
      2 * Math.max(limits.maxSequencedBytesPerBlock, limits.maxTransactionBytes) + MESSAGE_OVERHEAD_BYTES,
    signal,
  });
  defer(() => grpc.close());
  // Until the engine has opened its records no block can be proven.
  grpc.health.set(false);
  const ready = engine.listening().then(({ url }) => {
    source.reached(app.info().height);
    grpc.health.set(true);
    const rpc = solo === undefined ? config.cometbftRpcUrl : url;
    const abci = solo === undefined ? { abci: url } : {};
    log.info({ chain: app.chain?.id, height: app.info().height, grpc: grpc.url, rpc, ...abci }, 'sequencer is ready');
  });
  // `run` reports a failure before that.
  ready.catch(() => undefined);
  await engine.run(app, signal);
}

function findLimit(setting: number | 'all'): number | undefined {
  return setting === 'all' ? undefined : setting;
}

/** Everything that this process keeps on disk, but snapshots, which carry hashes of their own. */
function getStores({ engine }: SequencerConfig, directory: (name: string) => string): ScrubSource[] {
  const state = new StoreScrub(directory('app'), 'state');
  const isComet = engine === 'cometbft';
  return [
    state,
    isComet ? new StoreScrub(directory('comet'), 'signed-headers') : new StoreScrub(directory('engine'), 'blocks'),
  ];
}

/** Files that the solo engine is given; CometBFT has its own. */
function readSoloFiles(config: SequencerConfig, { log }: ProcessContext) {
  const { genesisFile: file, keyFile } = soloFiles(config);
  const genesisFile = parseGenesisFile(readText(file), file);
  return { genesisFile, limits: checkAppState(genesisFile.genesis, file), signer: readValidatorKey(keyFile, log) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    throw new InvalidConfig({
      variable: 'SVC_SEQUENCER_GENESIS_FILEPATH',
      expected: 'a file that can be read',
      got,
      advice: 'correct the path',
    });
  }
}
