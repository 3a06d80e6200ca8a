import { fields as composer } from '@switchyard/composer/config';
import { fields as conductor } from '@switchyard/conductor/config';
import { evmFields as evm } from '@switchyard/evm/config';
import { fields as explorer } from '@switchyard/explorer/config';
import { fields as faucet } from '@switchyard/faucet/config';
import type { Field } from '@switchyard/service/settings';
import type { Manifest } from '../manifest/fields.ts';
import { HOSTS, type Host, hostOf, objectName } from '../names.ts';
import type { Process } from '../processes.ts';

/** Environment variables, by the names that the processes' own tables have. */
export type Settings = Readonly<Record<string, string>>;

/** Of each process: where its state is, and what is mounted. */
export const PLACES = {
  data: '/data',
  genesis: '/etc/switchyard/genesis',
  genesisFile: 'evm_genesis.json',
  key: '/etc/switchyard/key',
  keyFile: 'private-key',
} as const;

/** Where each listens; the health of a process is asked on `health`. */
export const PORTS = {
  evm: { http: 8545, ws: 8546, health: 8545, metrics: 9004 },
  composer: { health: 50_053, metrics: 9001 },
  conductor: { health: 50_054, metrics: 9002 },
  faucet: { http: 3031, health: 3031, metrics: 9006 },
  explorer: { http: 3033, health: 3033, metrics: 9008 },
} as const;

type Entry = readonly [field: Field<unknown>, value: string | number | undefined];

const TABLES = { evm, composer, conductor, faucet, explorer };
/** Of the containers of one pod, which share a network: no other pod reaches these. */
const EXECUTION_ADDR = '127.0.0.1:50055';
const COLLECTOR_ADDR = '127.0.0.1:50052';
/** The ingress adds the client's address. */
const INGRESS = 1;

const anywhere = (port: number) => `0.0.0.0:${port}`;

/** Where people and wallets reach a rollup. */
export function publicUrl(host: Host, { name, ingressHostname, ingressTlsSecret }: Manifest): string {
  const scheme = `${host === 'ws-executor' ? 'ws' : 'http'}${ingressTlsSecret === undefined ? '' : 's'}`;
  return `${scheme}://${hostOf(host, name, ingressHostname)}`;
}

/** The variables of a process. */
export function settingsOf(process: Process, manifest: Manifest): Settings {
  const { log, prettyPrint, metricsHttpListenerAddr } = TABLES[process];
  const entries: readonly Entry[] = [
    ...own[process](manifest),
    [log, manifest.logLevel],
    [prettyPrint, String(manifest.useTTY)],
    [metricsHttpListenerAddr, anywhere(PORTS[process].metrics)],
  ];
  const set = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([{ names }, value]) => [names[0], String(value)]));
}

const own: Readonly<Record<Process, (manifest: Manifest) => readonly Entry[]>> = {
  evm: (manifest) => [
    [evm.genesisFilepath, `${PLACES.genesis}/${PLACES.genesisFile}`],
    [evm.dbFilepath, `${PLACES.data}/evm`],
    [evm.httpAddr, anywhere(PORTS.evm.http)],
    [evm.wsAddr, anywhere(PORTS.evm.ws)],
    [evm.executionGrpcAddr, EXECUTION_ADDR],
    [evm.composerAddr, `http://${COLLECTOR_ADDR}`],
    [evm.allowedHosts, hostNames(manifest, 'evm', 'executor', 'ws-executor')],
    [evm.proxyCount, INGRESS],
  ],
  composer: (manifest) => [
    [composer.apiListenAddr, anywhere(PORTS.composer.health)],
    [composer.grpcAddr, COLLECTOR_ADDR],
    [composer.sequencerAbciEndpoint, manifest.sequencerRpc],
    [composer.sequencerGrpcEndpoint, manifest.sequencerGrpc],
    [composer.sequencerChainId, manifest.sequencerChainId],
    [composer.sequencerAddressPrefix, manifest.sequencerAddressPrefix],
    [composer.privateKeyFile, `${PLACES.key}/${PLACES.keyFile}`],
    [composer.dbFilepath, `${PLACES.data}/composer`],
    [composer.feeAsset, manifest.feeAsset],
    [composer.maxBytesPerBundle, manifest.maxBytesPerBundle],
  ],
  conductor: (manifest) => [
    [conductor.executionRpcUrl, `http://${EXECUTION_ADDR}`],
    [conductor.executionCommitLevel, manifest.executionCommitLevel],
    [conductor.sequencerGrpcUrl, manifest.sequencerGrpc],
    [conductor.sequencerCometbftUrl, manifest.sequencerRpc],
    [conductor.expectedSequencerChainId, manifest.sequencerChainId],
    [conductor.apiListenAddr, anywhere(PORTS.conductor.health)],
  ],
  faucet: (manifest) => [
    [faucet.kind, 'evm'],
    [faucet.listenAddr, anywhere(PORTS.faucet.http)],
    [faucet.rpcUrl, rpcOf(manifest)],
    [faucet.chainId, String(manifest.networkId)],
    [faucet.name, manifest.name],
    [faucet.amount, manifest.faucetAmount],
    [faucet.minutes, manifest.faucetMinutes],
    [faucet.privateKeyFile, `${PLACES.key}/${PLACES.keyFile}`],
    [faucet.dbFilepath, `${PLACES.data}/faucet`],
    [faucet.explorerUrl, publicUrl('blockscout', manifest)],
    [faucet.walletRpcUrl, publicUrl('executor', manifest)],
    [faucet.allowedHosts, hostNames(manifest, 'faucet', 'faucet')],
    [faucet.proxyCount, INGRESS],
  ],
  explorer: (manifest) => [
    [explorer.listenAddr, anywhere(PORTS.explorer.http)],
    [explorer.sequencerAbciEndpoint, manifest.sequencerRpc],
    [explorer.sequencerGrpcEndpoint, manifest.sequencerGrpc],
    [explorer.sequencerAddressPrefix, manifest.sequencerAddressPrefix],
    [explorer.chainId, manifest.sequencerChainId],
    [explorer.evmUrls, rpcOf(manifest)],
    [explorer.evmWalletUrls, publicUrl('executor', manifest)],
    [explorer.dbFilepath, `${PLACES.data}/explorer`],
    [explorer.allowedHosts, hostNames(manifest, 'explorer', 'blockscout')],
    [explorer.proxyCount, INGRESS],
  ],
};

/** The setting that takes a database's address from a Secret. */
export const EXPLORER_DB_URL = explorer.dbUrl.names[0];

/** JSON-RPC inside the cluster. */
function rpcOf({ name, namespace }: Manifest): string {
  return `http://${objectName(name, 'evm')}.${namespace}:${PORTS.evm.http}`;
}

/** Names under which a workload is reached: from outside, and by its Service. */
function hostNames(
  { name, namespace, ingressHostname }: Manifest,
  part: 'evm' | 'faucet' | 'explorer',
  ...hosts: readonly Host[]
): string {
  const service = objectName(name, part);
  const inside = ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`];
  const outside = HOSTS.filter((host) => hosts.includes(host)).map((host) => hostOf(host, name, ingressHostname));
  return [...outside, ...inside.map((rest) => `${service}${rest}`)].join(',');
}
