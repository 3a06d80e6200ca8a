import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  healthRoutes,
  operatorAccess,
  type ProcessContext,
  pageAccess,
  systemClock,
  wallClock,
} from '@switchyard/service';
import { openDatabase } from '../database/lmdb.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { claimDatabase } from '../database-owner.ts';
import { DEV_ACCOUNTS } from '../dev-accounts.ts';
import { developmentVersion } from '../development/methods.ts';
import { sendingMethods } from '../development/sending.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import { PLANNED_FORKS } from '../forks.ts';
import { type EvmGenesis, parseEvmGenesis } from '../genesis.ts';
import { evmGenesisFile } from '../genesis-file.ts';
import { includes } from '../interpreter/fork.ts';
import { keysOf } from '../rpc/accounts/account-methods.ts';
import { embeddedMethods } from '../rpc/embedded-methods.ts';
import { serveRpc } from '../rpc/serve.ts';
import { fromTrustedPages } from '../rpc/trusted-pages.ts';
import { rulesAt } from '../simulate/environment.ts';
import { Activity } from './activity/activity.ts';
import { LoggedSimulator } from './activity/logged-simulator.ts';
import type { StandaloneConfig } from './config.ts';
import { Interval } from './interval.ts';
import { standaloneMethods } from './methods.ts';
import { StandaloneNode } from './node.ts';
import { standalonePool } from './pool.ts';
import { UndoDatabase } from './undo-database.ts';

type Context = Pick<ProcessContext, 'log' | 'metrics' | 'defer' | 'fail'>;

/** 100,000 blocks take minutes, in which their connection is silent. */
const IDLE_MS = 3_600_000;
const COINS = 10_000n * 10n ** 18n;

/** Starts a node that makes its own blocks. @returns where JSON-RPC answers. */
export async function startStandalone(config: StandaloneConfig, context: Context): Promise<string> {
  const { log, metrics } = context;
  const genesis = await genesisOf(config);
  const base = openStore(config, context);
  const database = new UndoDatabase(base);
  const index = new AddressIndex(database);
  const activity = new Activity(log);
  const node = new StandaloneNode({ genesis, database, indexers: [index], wall: wallClock, activity });
  context.defer(() => node.exclusive(() => node.flush()));
  const pool = standalonePool(node, wallClock, activity);
  const { chain } = node;
  const rules = rulesAt(genesis.chainId, genesis.forks);
  const calls = { gasCap: BigInt(config.rpcGasCap), timeoutMs: config.callTimeoutMs, atATime: 8, maxWaiting: 256 };
  const simulator = new LoggedSimulator(
    calls,
    {
      ...{ chain, rules },
      stateRoot: (block, changes) => node.state.rootWith(block, changes),
      slotsEver: (address) => node.state.slotsEver(address),
      now: () => node.now,
    },
    activity,
  );
  const interval = new Interval({ clock: systemClock, log, mine: () => node.exclusive(() => node.mineOne()) });
  context.defer(() => interval.stop());
  node.automine = config.blockTime === 0;
  interval.set(config.blockTime);
  const keys = keysOf(DEV_ACCOUNTS.slice(0, config.accounts));
  const bounds = { maxLogs: config.maxLogs, maxBlockRange: config.maxBlockRange };
  const clientVersion = developmentVersion();
  const deps = {
    ...{ chain, pool, simulator, log, clock: systemClock, wall: wallClock, bounds, metrics, clientVersion },
    oldestProof: () => node.state.oldestProof,
    accounts: () => keys.accounts,
    forks: genesis.forks,
  };
  const ofEveryNode = embeddedMethods(deps, explorerMethods({ simulator, index }));
  const changing = {
    ...sendingMethods(ofEveryNode, { chain, pool, simulator, keys, senders: node.senders }),
    ...standaloneMethods({ node, pool, interval, activity, clientVersion }),
  };
  const rpc = await serveRpc({
    methods: activity.named({
      ...ofEveryNode,
      ...fromTrustedPages(changing, {
        origins: config.allowedOrigins,
        setting: 'SVC_EVM_STANDALONE_ALLOWED_ORIGINS (--allow-origin)',
      }),
    }),
    http: { listen: config.httpAddr, name: 'SVC_EVM_STANDALONE_HTTP_ADDR' },
    idleMs: IDLE_MS,
    access: pageAccess(operatorAccess(config, 'SVC_EVM_STANDALONE_'), {
      origins: config.corsOrigin,
      setting: 'SVC_EVM_STANDALONE_CORS_ORIGIN',
    }),
    routes: (app) =>
      void app.route(
        '/',
        healthRoutes({
          ready: () => ({ ok: true }),
          status: () => ({ chainId: String(chain.chainId), blocks: String(chain.heads.latest) }),
          metrics,
        }),
      ),
    log: log.child({ component: 'rpc' }),
    clock: systemClock,
    bounds,
    metrics,
  });
  context.defer(() => rpc.close());
  // First, so that a call which makes many blocks is answered before its connection ends.
  context.defer(() => node.stop());
  log.info({ url: rpc.http.url, chainId: chain.chainId, accounts: config.accounts }, 'node answers');
  return rpc.http.url;
}

function openStore({ stateDir }: StandaloneConfig, { defer, fail }: Context) {
  if (stateDir === undefined) return openMemoryDatabase();
  const database = openDatabase(join(stateDir, 'db'), { onDamage: fail });
  defer(() => database.close());
  claimDatabase(database, 'embedded');
  return database;
}

/** A new one begins now; one that is kept stays what it was. */
async function genesisOf({ stateDir, chainId, accounts, predeploys, hardfork }: StandaloneConfig): Promise<EvmGenesis> {
  const text = evmGenesisFile({
    ...{ rollupName: 'standalone', sequencerChainId: 'standalone', startHeight: 1, chainId, predeploys },
    forks: Object.fromEntries(PLANNED_FORKS.filter((fork) => includes(hardfork, fork)).map((fork) => [fork, 0])),
    timestamp: Math.floor(wallClock.unixMs() / 1_000),
    balances: new Map(DEV_ACCOUNTS.slice(0, accounts).map(({ address }) => [address, COINS])),
  });
  if (stateDir === undefined) return parseEvmGenesis(text, 'standalone');
  const file = join(stateDir, 'genesis.json');
  await mkdir(stateDir, { recursive: true });
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return parseEvmGenesis(await readFile(file, 'utf8'), file);
}
