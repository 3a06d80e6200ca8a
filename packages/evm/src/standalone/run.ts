import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { includes } from '@switchyard/evm-machine/fork';
import { InvalidConfig, isLoopbackHost, type ProcessContext, systemClock, wallClock } from '@switchyard/service';
import { openDatabase } from '../database/lmdb.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { claimDatabase } from '../database/owner.ts';
import { developmentVersion } from '../development/methods.ts';
import { sendingMethods, signOrMark } from '../development/sending.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import type { DevAccount } from '../genesis/development-accounts.ts';
import { evmGenesisFile } from '../genesis/file.ts';
import { type EvmGenesis, parseEvmGenesis } from '../genesis/genesis.ts';
import { toKeys } from '../rpc/accounts/account-methods.ts';
import { DEFAULT_BOUNDS } from '../rpc/deps.ts';
import { embeddedMethods } from '../rpc/embedded-methods.ts';
import { ownServing, serveRpc } from '../rpc/serve.ts';
import { fromTrustedPages } from '../rpc/trusted-pages.ts';
import { PLANNED_FORKS } from '../rules/forks.ts';
import { rulesAt } from '../simulate/environment.ts';
import { estimatorIn, HERE_MS, longInThreads } from '../threads/in-threads.ts';
import { Activity } from './activity/activity.ts';
import { LoggedSimulator } from './activity/logged-simulator.ts';
import type { StandaloneConfig } from './config.ts';
import { Interval } from './interval.ts';
import { standaloneMethods } from './methods.ts';
import { getAccounts } from './mnemonic.ts';
import { StandaloneNode } from './node.ts';
import { standalonePool } from './pool.ts';
import { readingMethods } from './reading-methods.ts';
import { ReplicatedDatabase } from './replicated-database.ts';
import { type LoadedState, readStateFile, writeStateFile } from './state-file.ts';
import { PROGRAM, standaloneThreads } from './threads.ts';
import { UndoDatabase } from './undo-database.ts';

type Context = Pick<ProcessContext, 'log' | 'metrics' | 'defer' | 'fail'>;

/** 100,000 blocks take minutes, in which their connection is silent. */
const IDLE_MS = 3_600_000;
const WEI_PER_ETHER = 10n ** 18n;

/** Starts a node that makes its own blocks. @param program Of threads for calls. @returns the address of JSON-RPC. */
export async function startStandalone(config: StandaloneConfig, context: Context, program = PROGRAM): Promise<string> {
  const { log, metrics } = context;
  const loaded = await loadedState(config);
  const accounts = getAccounts(config.mnemonic.reveal(), config.accounts);
  const genesis = await getGenesis(config, accounts);
  const base = openStore(config, context);
  const database = new UndoDatabase(base);
  const index = new AddressIndex(database);
  const activity = new Activity(log);
  const node = new StandaloneNode({
    ...{ genesis, database, indexers: [index], wall: wallClock, activity },
    ...{
      maxCodeBytes: config.codeSizeLimit,
      edits: loaded?.edits ?? [],
      ahead: computeAhead(config, loaded?.timestamp),
    },
  });
  context.defer(() => node.exclusive(() => node.flush()));
  const { stateFile } = config;
  if (loaded?.hasBlocks)
    log.warn(
      { file: stateFile },
      'blocks and transactions of the state are not loaded, and are lost when it is written',
    );
  if (stateFile !== undefined)
    context.defer(async () => {
      await node.exclusive(() => writeStateFile(stateFile, node.accounts(), node.latest.timestamp));
      log.info({ file: stateFile }, 'state written');
    });
  const pool = standalonePool(node, wallClock, activity);
  const { chain } = node;
  const rules = rulesAt(genesis.chainId, genesis.forks, config.codeSizeLimit);
  const calls = { gasCap: BigInt(config.rpcGasCap), timeoutMs: config.callTimeoutMs };
  const { maxLogs, maxBlockRange, stateDir, codeSizeLimit: maxCodeBytes } = config;
  const threads = standaloneThreads({
    ...{ program, node, database: base, activity, log },
    data: {
      directory: stateDir && databaseIn(stateDir),
      ...{ chainId: genesis.chainId, forks: genesis.forks, maxCodeBytes, simulator: calls },
      bounds: { maxLogs, maxBlockRange, queryTimeoutMs: DEFAULT_BOUNDS.queryTimeoutMs },
    },
  });
  if (threads !== undefined) context.defer(() => threads.close());
  const hereMs = threads && HERE_MS;
  const simulator = new LoggedSimulator(
    { ...calls, hereMs },
    {
      ...{ chain, rules },
      stateRoot: (block, changes) => node.state.rootWith(block, changes),
      slotsEver: (address) => node.state.slotsEver(address),
      next: () => node.next,
    },
    activity,
  );
  const interval = new Interval({ clock: systemClock, log, mine: () => node.exclusive(() => node.mineOne()) });
  context.defer(() => interval.stop());
  node.automine = !config.noMining && (config.blockTime === 0 || config.mixedMining);
  interval.set(config.noMining ? 0 : config.blockTime);
  node.senders.all = config.autoImpersonate;
  const keys = toKeys(accounts);
  const estimator = threads === undefined ? simulator : estimatorIn(threads, simulator);
  const bounds = { maxLogs, maxBlockRange };
  const clientVersion = developmentVersion();
  const deps = {
    ...{ chain, pool, simulator, log, clock: systemClock, wall: wallClock, bounds, metrics, clientVersion },
    oldestProof: () => node.state.oldestProof,
    accounts: () => keys.accounts,
    forks: genesis.forks,
    next: () => node.next,
    ...{ estimator, hereMs },
  };
  const here = embeddedMethods(deps, explorerMethods({ simulator, index }));
  const ofEveryNode = threads === undefined ? here : longInThreads(here, threads);
  const sending = { chain, pool, simulator: estimator, keys, senders: node.senders };
  const changing = {
    ...sendingMethods(ofEveryNode, sending),
    ...standaloneMethods({
      ...{ node, pool, interval, activity, clientVersion },
      ...{ accounts: keys.accounts, sign: signOrMark(sending) },
    }),
  };
  const rpc = await serveRpc({
    methods: activity.named({
      ...ofEveryNode,
      ...readingMethods({ node, pool, plain: ofEveryNode }),
      ...fromTrustedPages(changing, {
        origins: config.allowedOrigins,
        setting: 'SVC_EVM_STANDALONE_ALLOWED_ORIGINS (--allow-origin)',
      }),
    }),
    ...ownServing('SVC_EVM_STANDALONE_', config, chain, context),
    idleMs: IDLE_MS,
    bounds,
  });
  context.defer(() => rpc.close());
  // First, so that a call which makes many blocks is answered before its connection ends.
  context.defer(() => node.stop());
  const { host } = config.httpAddr;
  if (!isLoopbackHost(host))
    log.warn({ host }, 'other machines reach this node, and can sign with its keys and change its chain');
  log.info({ url: rpc.http.url, chainId: chain.chainId, accounts: config.accounts }, 'node answers');
  return rpc.http.url;
}

const databaseIn = (stateDir: string) => join(stateDir, 'db');

function openStore({ stateDir }: StandaloneConfig, { defer, fail }: Context) {
  if (stateDir === undefined) return new ReplicatedDatabase(openMemoryDatabase());
  const database = openDatabase(databaseIn(stateDir), { onDamage: fail });
  defer(() => database.close());
  claimDatabase(database, 'embedded');
  return database;
}

/** A new one begins now; a kept one stays unchanged. */
async function getGenesis(config: StandaloneConfig, accounts: readonly DevAccount[]): Promise<EvmGenesis> {
  const { stateDir, chainId, balance, predeploys, hardfork, timestamp } = config;
  const text = evmGenesisFile({
    ...{ rollupName: 'standalone', sequencerChainId: 'standalone', startHeight: 1, chainId, predeploys },
    forks: Object.fromEntries(PLANNED_FORKS.filter((fork) => includes(hardfork, fork)).map((fork) => [fork, 0])),
    timestamp: timestamp ?? wallSeconds(),
    balances: new Map(accounts.map(({ address }) => [address, balance * WEI_PER_ETHER])),
  });
  if (stateDir === undefined) return parseEvmGenesis(text, 'standalone');
  const file = join(stateDir, 'genesis.json');
  await mkdir(stateDir, { recursive: true });
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return parseEvmGenesis(await readFile(file, 'utf8'), file);
}

async function loadedState({ stateFile, stateDir }: StandaloneConfig): Promise<LoadedState | undefined> {
  if (stateFile === undefined) return undefined;
  if (stateDir === undefined) return readStateFile(stateFile);
  throw new InvalidConfig({
    variable: 'SVC_EVM_STANDALONE_STATE_FILE',
    expected: 'nothing next to SVC_EVM_STANDALONE_STATE_DIR, which keeps the whole chain',
    got: stateFile,
    advice: 'unset one of them',
  });
}

/** Seconds: from a time that is chosen, or so that time does not go back behind that of a state. */
function computeAhead({ timestamp }: StandaloneConfig, loaded = 0n): bigint {
  const now = BigInt(wallSeconds());
  if (timestamp !== undefined) return BigInt(timestamp) - now;
  return loaded > now ? loaded - now : 0n;
}

function wallSeconds(): number {
  return Math.floor(wallClock.unixMs() / 1_000);
}
