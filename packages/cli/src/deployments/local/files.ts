import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  genesisText,
  HOSTS,
  type Host,
  hasLocalLayer,
  hostOf,
  type Keys,
  layerSettingsOf,
  localSite,
  type Manifest,
  PLACES,
  type Site,
  settingsOf,
} from '@switchyard/stack';
import { LAYER_PROCESSES, type LayerProcess, PROCESSES, type Process } from '@switchyard/stack/programs';
import { relayerAccount } from '../../dev/accounts/accounts.ts';
import { envTable, type Settings, serviceTable } from '../../dev/init/network-text.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import { type Ports, portOf } from './place.ts';
import { proxyFields } from './proxy-config.ts';

/** A file below the directory of a deployment. */
export interface DeploymentFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/** The network's name in the file that describes it; there is no other one. */
export const NETWORK = 'local';
const PROXY = 'proxy';
const PROXY_PROGRAM = fileURLToPath(new URL('./proxy-main.js', import.meta.url));

/** Where each host name leads. */
const ROUTES: Readonly<Record<Host, readonly [Process, string]>> = {
  blockscout: ['explorer', 'http'],
  faucet: ['faucet', 'http'],
  executor: ['evm', 'http'],
  'ws-executor': ['evm', 'ws'],
};

const processesOf = ({ faucetEnabled }: Manifest): readonly Process[] =>
  PROCESSES.filter((process) => process !== 'faucet' || faucetEnabled);

export function siteOf(manifest: Manifest, paths: InstancePaths, ports: Ports): Site {
  const port = (process: Process | LayerProcess, name: string) => portOf(ports, process, name);
  return localSite(manifest, { directory: paths.directory, port, proxyPort: ports.proxyPort });
}

/** All files of a deployment, as the development tool reads those of an instance. */
export function filesOf(
  manifest: Manifest,
  keys: Keys,
  {
    paths,
    ports,
    allowDevKey,
  }: { readonly paths: InstancePaths; readonly ports: Ports; readonly allowDevKey: boolean },
): readonly DeploymentFile[] {
  const site = siteOf(manifest, paths, ports);
  const { faucetEnabled } = manifest;
  return [
    { path: paths.networks, text: networksText(manifest, { paths, ports, allowDevKey }), mode: 0o600 },
    { path: paths.base, text: '# Each service has its settings in networks-config.toml.\n', mode: 0o600 },
    { path: join(paths.config, PLACES.genesisFile), text: genesisText(manifest), mode: 0o644 },
    { path: site.keyFile('composer'), text: keys.sequencer, mode: 0o600 },
    ...(faucetEnabled ? [{ path: site.keyFile('faucet'), text: keys.faucet, mode: 0o600 }] : []),
    // A published key will do: funds on the local layer are worth nothing.
    ...(hasLocalLayer(manifest) ? [{ path: site.keyFile('relayer'), text: relayerAccount.key, mode: 0o600 }] : []),
    ...(keys.daToken === undefined ? [] : [{ path: site.tokenFile, text: keys.daToken, mode: 0o600 }]),
  ];
}

function networksText(
  manifest: Manifest,
  {
    paths,
    ports,
    allowDevKey,
  }: { readonly paths: InstancePaths; readonly ports: Ports; readonly allowDevKey: boolean },
): string {
  const site = siteOf(manifest, paths, ports);
  const { name, sequencerChainId = '', sequencerGrpc, sequencerRpc, chainId, feeAsset } = manifest;
  const values = {
    sequencer_chain_id: sequencerChainId,
    sequencer_grpc: sequencerGrpc,
    sequencer_rpc: sequencerRpc,
    rollup_name: chainId,
    native_denom: feeAsset,
    start_page: '',
  };
  const service = (process: Process | LayerProcess, settings: Readonly<Record<string, string>>) =>
    `${serviceTable(NETWORK, process)}${envTable(NETWORK, process, Object.entries(settings).map(lowerCase))}`;
  const services = [
    ...(hasLocalLayer(manifest) ? LAYER_PROCESSES : []).map((process) =>
      service(process, layerSettingsOf(process, manifest, site, relayerAccount.address)),
    ),
    ...processesOf(manifest).map((process) => service(process, settingsOf(process, manifest, { allowDevKey, site }))),
  ];
  const head = [
    `# Rollup ${name}, written by \`switchyard rollup deployment create --target local\` from its manifest: change that, and repeat it.`,
    '',
    `[networks.${NETWORK}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    '',
  ].join('\n');
  return `${head}${services.join('')}${proxyService(manifest, ports)}`;
}

const lowerCase = ([key, value]: readonly [string, string]) => [key.toLowerCase(), value] as const;

function proxyService(manifest: Manifest, ports: Ports): string {
  const { listenAddr, routes, metricsHttpListenerAddr, prettyPrint, log } = proxyFields;
  const { proxyPort } = ports;
  const there = HOSTS.filter((host) => processesOf(manifest).includes(ROUTES[host][0]));
  const pairs = there.map((host) => {
    const [process, port] = ROUTES[host];
    return `${hostOf(host, manifest.name, manifest.ingressHostname)}=${portOf(ports, process, port)}`;
  });
  const settings: Settings = (
    [
      [listenAddr.names[0], `127.0.0.1:${proxyPort}`],
      [routes.names[0], pairs.join(',')],
      [metricsHttpListenerAddr.names[0], `127.0.0.1:${portOf(ports, PROXY, 'metrics')}`],
      [log.names[0], manifest.logLevel],
      [prettyPrint.names[0], String(manifest.useTTY)],
    ] as const
  ).map(lowerCase);
  return [
    `\n[networks.${NETWORK}.services.${PROXY}]`,
    `name = "${PROXY}"`,
    'version = ""',
    'download_url = ""',
    `local_path = ${JSON.stringify(process.execPath)}`,
    `args = [${JSON.stringify(PROXY_PROGRAM)}]`,
    `ready = "tcp://127.0.0.1:${proxyPort}"`,
    envTable(NETWORK, PROXY, settings),
  ].join('\n');
}
