import { fields as da } from '@switchyard/da/config';
import { fields as relayer } from '@switchyard/relayer/config';
import type { Field } from '@switchyard/service/settings';
import type { Manifest } from '../manifest/fields.ts';

/*
 * The local data-availability layer and a relayer, wherever they run: in a cluster beside their sequencer network, or with a
 * rollup on one machine.
 */

/** Memory of a container, requested and bounded. */
export const LAYER_MEMORY = { da: '256Mi', relayer: '256Mi' } as const;

interface Running {
  readonly logLevel: string;
  /** Log lines for people instead of JSON. */
  readonly useTTY?: boolean;
  /** Where metrics are served, as `host:port`. */
  readonly metrics: string;
  /** Of what is kept. */
  readonly directory: string;
}

export interface LocalLayer extends Running {
  /** The account that has everything: that of the relayer, `celestia1...`. */
  readonly account: string;
  /** Where its JSON-RPC and its gRPC listen, as `host:port`. */
  readonly rpc: string;
  readonly grpc: string;
  /** Names under which others reach it, separated by commas. */
  readonly hostNames?: string;
}

export interface Relayer extends Running {
  readonly sequencerRpc: string;
  readonly sequencerGrpc: string;
  readonly sequencerChainId: string;
  /** First block that is posted. */
  readonly startHeight?: bigint;
  /** Consensus nodes of the layer, separated by commas. */
  readonly layerGrpc: string;
  readonly layerChainId: string;
  readonly isLocal: boolean;
  readonly keyFile: string;
  /** Where its API listens, as `host:port`. */
  readonly health: string;
  /** Names under which others reach that, separated by commas. */
  readonly hostNames?: string;
}

/** Chain id of the local layer. */
export const LOCAL_LAYER = da.chainId.fallback ?? 'local-da';

/** In utia: more than fees will ever take, since there is nothing else to do with it. */
const ALL_FUNDS = 1_000_000_000_000;
/** A day or so of blocks that are empty. */
const RETAINED_BLOCKS = 50_000;
const EMPTY_BLOCK_MS = 2_000;
/** Blocks of the local layer are made each second, and cost nothing. */
const LOCAL_BATCH_MS = 1_000;

type Entry = readonly [field: Field<unknown>, value: string | number | undefined];

export function localLayerSettings(layer: LocalLayer): Record<string, string> {
  const { account, rpc, grpc, hostNames, directory, metrics, logLevel, useTTY } = layer;
  return settingsIn([
    [da.apiListenAddr, rpc],
    [da.grpcAddr, grpc],
    [da.allowedHosts, hostNames],
    [da.dbFilepath, directory],
    [da.chainId, LOCAL_LAYER],
    [da.emptyBlockIntervalMs, EMPTY_BLOCK_MS],
    [da.retainBlocks, RETAINED_BLOCKS],
    [da.genesisAccounts, `${account}:${ALL_FUNDS}`],
    [da.log, logLevel],
    [da.prettyPrint, useTTY === undefined ? undefined : String(useTTY)],
    [da.metricsHttpListenerAddr, metrics],
  ]);
}

/** @param allowDevKey Whether it runs with a key that everybody has, for a layer that is not on loopback. */
export function relayerSettings(of: Relayer, allowDevKey = false): Record<string, string> {
  return settingsIn([
    [relayer.sequencerAbciEndpoint, of.sequencerRpc],
    [relayer.sequencerGrpcEndpoint, of.sequencerGrpc],
    [relayer.sequencerChainId, of.sequencerChainId],
    [relayer.startHeight, of.startHeight === undefined ? undefined : String(of.startHeight)],
    [relayer.daGrpcEndpoint, of.layerGrpc],
    [relayer.daChainId, of.layerChainId],
    [relayer.privateKeyFile, of.keyFile],
    [relayer.allowDevKey, allowDevKey ? 'true' : undefined],
    [relayer.batchMs, of.isLocal ? LOCAL_BATCH_MS : undefined],
    [relayer.dbFilepath, of.directory],
    [relayer.apiListenAddr, of.health],
    [relayer.allowedHosts, of.hostNames],
    [relayer.log, of.logLevel],
    [relayer.prettyPrint, of.useTTY === undefined ? undefined : String(of.useTTY)],
    [relayer.metricsHttpListenerAddr, of.metrics],
  ]);
}

function settingsIn(entries: readonly Entry[]): Record<string, string> {
  const set = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([{ names }, value]) => [names[0], String(value)]));
}

/** Whether the local layer and a relayer run with the rollup. */
export function hasLocalLayer({ daKind }: Pick<Manifest, 'daKind'>): boolean {
  return daKind === 'local';
}
