import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { relayerAccount } from '@switchyard/network/accounts';
import {
  genesisName,
  genesisText,
  getSettings,
  hasLocalLayer,
  type Keys,
  keyFor,
  localSite,
  type Manifest,
  processesIn,
  routesIn,
  type Site,
} from '@switchyard/stack';
import {
  getProgram,
  getRole,
  LAYER_PROCESSES,
  type LayerProcess,
  type Process,
  toNodeFlags,
} from '@switchyard/stack/programs';
import { settingsIn } from '@switchyard/stack/values';
import type { Replacement } from '../../dev/files/files.ts';
import { envTable, serviceTable } from '../../dev/init/network-text.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import { type Ports, toPort } from './place.ts';
import { proxyFields } from './proxy-config.ts';

/** The network's name in the file that describes it; there is no other one. */
export const NETWORK = 'local';
const PROXY = 'proxy';
const PROXY_PROGRAM = fileURLToPath(new URL('./proxy-main.js', import.meta.url));

export function getSite(manifest: Manifest, paths: InstancePaths, ports: Ports): Site {
  const port = (process: Process | LayerProcess, name: string) => toPort(ports, process, name);
  return localSite(manifest, { directory: paths.directory, port, proxyPort: ports.proxyPort });
}

interface Where {
  readonly paths: InstancePaths;
  readonly ports: Ports;
  readonly allowDevKey: boolean;
  /** The program of a rollup of an author's; else one of ours. */
  readonly program: string | undefined;
}

/**
 * All files of a deployment, as the development tool reads those of an instance: its supervisor is a process of its own, which is
 * started again from them, and their text shows whether a manifest has changed.
 */
export function getFiles(manifest: Manifest, keys: Keys, where: Where): readonly Required<Replacement>[] {
  const { paths, ports } = where;
  const site = getSite(manifest, paths, ports);
  return [
    { path: paths.networks, text: networksText(manifest, site, where), mode: 0o600 },
    { path: paths.base, text: '# Each service has its settings in networks-config.toml.\n', mode: 0o600 },
    { path: join(paths.config, genesisName(manifest)), text: genesisText(manifest), mode: 0o644 },
    ...processesIn(manifest).flatMap((process) => {
      const key = keyFor(process, keys);
      return key === undefined ? [] : [{ path: site.keyFile(process), text: key, mode: 0o600 }];
    }),
    // A published key will do: funds on the local layer are worth nothing.
    ...(hasLocalLayer(manifest) ? [{ path: site.keyFile('relayer'), text: relayerAccount.key, mode: 0o600 }] : []),
    ...(keys.daToken === undefined ? [] : [{ path: site.tokenFile, text: keys.daToken, mode: 0o600 }]),
  ];
}

function networksText(manifest: Manifest, site: Site, { ports, allowDevKey, program }: Where): string {
  const { name, sequencerChainId = '', sequencerGrpc, sequencerRpc, chainId, feeAsset } = manifest;
  const values = {
    sequencer_chain_id: sequencerChainId,
    sequencer_grpc: sequencerGrpc,
    sequencer_rpc: sequencerRpc,
    rollup_name: chainId,
    native_denom: feeAsset,
    start_page: '',
  };
  const service = (label: string, settings: Readonly<Record<string, string>>, ran = {}) =>
    `${serviceTable(NETWORK, label, ran)}${envTable(NETWORK, label, Object.entries(settings).map(lowerCase))}`;
  const services = [
    ...(hasLocalLayer(manifest) ? LAYER_PROCESSES : []).map((process) =>
      service(process, getSettings(process, manifest, { site, layerAccount: relayerAccount.address })),
    ),
    ...processesIn(manifest).map((process) =>
      service(
        process,
        getSettings(process, manifest, { allowDevKey, site }),
        process === 'rollup' && program !== undefined ? ranByNode(program) : ranByUs(process),
      ),
    ),
    service(PROXY, proxySettings(manifest, ports), {
      ...{ program: process.execPath, args: [PROXY_PROGRAM], version: '' },
      more: `ready = "tcp://127.0.0.1:${ports.proxyPort}"\n`,
    }),
  ];
  const head = [
    `# Rollup ${name}, written by \`switchyard rollup deployment create --target local\` from its manifest: change that, and repeat it.`,
    '',
    `[networks.${NETWORK}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    '',
  ].join('\n');
  return `${head}${services.join('')}`;
}

const ranByNode = (program: string) => ({
  ...{ program: process.execPath, args: [...toNodeFlags(getProgram('rollup')).split(' '), program], version: '' },
});

/** Services are known by their name, except for further payers of withdrawals. */
const ranByUs = (process: Process) =>
  getRole(process) === process ? {} : { program: `builtin:${getProgram(process).name}` };

const lowerCase = ([key, value]: readonly [string, string]) => [key.toLowerCase(), value] as const;

function proxySettings(manifest: Manifest, ports: Ports): Readonly<Record<string, string>> {
  const pairs = routesIn(manifest).map(({ name, process, listener }) => `${name}=${toPort(ports, process, listener)}`);
  const { logLevel: log, useTTY: prettyPrint } = manifest;
  return settingsIn([
    [proxyFields.listenAddr, `127.0.0.1:${ports.proxyPort}`],
    [proxyFields.routes, pairs.join(',')],
    [proxyFields.metricsHttpListenerAddr, `127.0.0.1:${toPort(ports, PROXY, 'metrics')}`],
    [proxyFields.log, log],
    [proxyFields.prettyPrint, prettyPrint],
  ]);
}
