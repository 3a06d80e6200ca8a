import { InvalidData } from '@switchyard/service/input';
import { stringify } from 'yaml';
import { getCommand, PLACES, parseQuantity, USER } from '../container.ts';
import type { Ports } from '../kubernetes/objects.ts';
import type { Manifest } from '../manifest/fields.ts';
import { daToken, hasLocalLayer, readsFirm } from '../manifest/layer.ts';
import { type Program, settingsFor } from '../process.ts';
import { sequencer } from '../processes/sequencer.ts';
import { getProgram, PROGRAMS } from '../programs.ts';
import { LAYER_PROCESSES, type LayerProcess, type Process } from '../roles.ts';
import { settingsIn } from '../values.ts';
import { genesisName, genesisText } from '../workloads/genesis.ts';
import { deployed, getPorts, isNode, keyPart, nodeIn, processesIn } from '../workloads/parts.ts';
import { containerSettings, getMemory, toImage } from '../workloads/pods.ts';
import { getSettings, type Settings } from '../workloads/settings.ts';
import { LAYER_MEMORY, LAYER_PORTS } from '../workloads/site.ts';
import { problemsInContainers } from '../workloads/workloads.ts';
import { composeSite, DA_TOKEN, NODE_NETWORK } from './site.ts';

/*
 * The processes of a rollup as services of one machine, for `docker compose`, with the settings of a pod. Node, composer and
 * conductor share a network as in their pod, so that their connections are on loopback; that network belongs to a service
 * that does nothing, because services which share the network of an ended service would be left without one.
 */

/** Paths of the user's files and of ours, next to the file of the services. */
const FILES = 'compose';
/** A sequencer of this host name is one of the services. */
const SEQUENCER = 'sequencer';
const SEQUENCER_MEMORY = '512Mi';
const VALIDATOR_KEY = 'validator-key';

export interface Composed {
  /** Contents of the files by their paths in one directory. */
  readonly files: ReadonlyMap<string, string>;
  /** Paths of the files that the user puts there: keys, and the sequencer's genesis. */
  readonly secrets: readonly string[];
  readonly genesis: string | undefined;
}

/**
 * @param relayerAccount Account of the relayer's key, `celestia1...`, which has all funds of the local layer.
 * @throws {InvalidData} if the manifest describes parts that cannot run so.
 */
export function renderCompose(manifest: Manifest, relayerAccount: string): Composed {
  const problems = problemsInContainers(manifest);
  if (problems.length > 0) throw new InvalidData(problems);
  const processes = processesIn(manifest);
  const hasSequencer = new URL(manifest.sequencerRpc).hostname === SEQUENCER;
  const hasLayer = hasLocalLayer(manifest);
  const keys = [
    ...processes.flatMap((process) => keyPart(process) ?? []),
    ...(hasLayer ? [RELAYER_KEY] : []),
    ...(asksForToken(manifest) ? [DA_TOKEN] : []),
    ...(hasSequencer ? [VALIDATOR_KEY] : []),
  ];
  const volumes = [
    ...(hasSequencer ? [SEQUENCER] : []),
    ...processes.filter((process) => hasVolume(manifest, process)),
    ...(hasLayer ? LAYER_PROCESSES : []),
  ];
  const services = {
    ...(hasSequencer ? { [SEQUENCER]: sequencerService(manifest) } : {}),
    [NODE_NETWORK]: networkService(manifest),
    ...(hasLayer ? layerServices(manifest, relayerAccount) : {}),
    ...Object.fromEntries(processes.map((process) => [process, processService(manifest, process, hasSequencer)])),
  };
  const secretFile = (name: string) => `${FILES}/secrets/${name}`;
  const document = {
    services,
    // Volumes carry the rollup's name, wherever this file is.
    volumes: Object.fromEntries(volumes.map((name) => [name, { name: `${manifest.name}-${name}` }])),
    secrets: Object.fromEntries(keys.map((name) => [name, { file: `./${secretFile(name)}` }])),
  };
  const head = [
    `# Rollup ${manifest.name}, written by \`switchyard rollup deployment compose\` from its manifest: change that, and repeat it.`,
    `# Keys are files of mode 600 in ${FILES}/secrets (${keys.join(', ')}), which belong to user ${USER} or the one in SWITCHYARD_USER.`,
    '',
  ].join('\n');
  return {
    files: new Map([
      ['compose.yaml', `${head}${stringify(document, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })}`],
      [`${FILES}/${genesisName(manifest)}`, genesisText(manifest)],
    ]),
    secrets: keys.map(secretFile),
    genesis: hasSequencer ? `${FILES}/${SEQUENCER_GENESIS}` : undefined,
  };
}

const SEQUENCER_GENESIS = 'sequencer_genesis.json';
const RELAYER_KEY = 'relayer-key';
const asksForToken = (manifest: Manifest) => daToken(manifest) !== undefined;
/** A conductor keeps the newest header of the layer that it has verified, and else nothing. */
const hasVolume = (manifest: Manifest, process: Process) => process !== 'conductor' || readsFirm(manifest);

/** Settings of every service: its image, its rights, its bounds, and how it ends. */
const confined = ({ image }: Manifest, memory: string) => ({
  image,
  user: `\${SWITCHYARD_USER:-${USER}:${USER}}`,
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  tmpfs: ['/tmp:size=64m,mode=1777'],
  mem_limit: parseQuantity(memory),
  restart: 'unless-stopped',
  stop_grace_period: '30s',
  logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
});

/** An engine puts values in the place of `$NAME`. */
const literal = (text: string) => text.replaceAll('$', '$$$$');
const environment = (settings: Settings) =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, literal(value)]));
/** For this machine alone. */
const published = (ports: readonly number[]) => ports.map((port) => `127.0.0.1:${port}:${port}`);
const data = (name: string) => ({ type: 'volume', source: name, target: PLACES.data });
/** Not the short form, which makes a directory of a file that is not there. */
const file = (name: string, target: string) => ({
  type: 'bind',
  source: `./${FILES}/${name}`,
  target,
  read_only: true,
});

function healthcheck({ ready }: Program, ports: Ports) {
  const program = `fetch('http://127.0.0.1:${ports[ready.listener]}${ready.path}').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
  return { test: ['CMD', 'node', '-e', program], interval: '10s', timeout: '5s', retries: 3, start_period: '60s' };
}

function processService(manifest: Manifest, process: Process, hasSequencer: boolean): object {
  const memory = getMemory(manifest, process);
  const key = keyPart(process);
  const program = getProgram(process);
  const { image, isEntryPoint } = toImage(manifest, process);
  // A published key is usual if the sequencer is on the same machine.
  const options = { site: composeSite(manifest), allowDevKey: hasSequencer };
  const ports = getPorts(process);
  return {
    ...confined(manifest, memory),
    image,
    ...(isEntryPoint ? {} : { entrypoint: getCommand(program, memory) }),
    environment: environment(containerSettings(process, manifest, options)),
    ...(deployed(process).isBesideNode
      ? { network_mode: `service:${NODE_NETWORK}` }
      : { ports: published(ports.http === undefined ? [] : [ports.http]) }),
    ...(key === undefined ? {} : { secrets: [key] }),
    ...(process === 'conductor' && asksForToken(manifest) ? { secrets: [DA_TOKEN] } : {}),
    volumes: [
      ...(hasVolume(manifest, process) ? [data(process)] : []),
      ...(isNode(process) ? [file(genesisName(manifest), `${PLACES.genesis}/${genesisName(manifest)}`)] : []),
    ],
    healthcheck: healthcheck(program, ports),
  };
}

/** The local layer and a relayer, in the network of the conductor: all that is between the three is on loopback. */
function layerServices(manifest: Manifest, layerAccount: string) {
  const site = composeSite(manifest);
  const service = (process: LayerProcess, keys: readonly string[]) => ({
    ...confined(manifest, LAYER_MEMORY[process]),
    entrypoint: getCommand(PROGRAMS[process], LAYER_MEMORY[process]),
    environment: environment(getSettings(process, manifest, { site, layerAccount })),
    network_mode: `service:${NODE_NETWORK}`,
    ...(keys.length === 0 ? {} : { secrets: keys }),
    volumes: [data(process)],
    healthcheck: healthcheck(PROGRAMS[process], LAYER_PORTS[process]),
  });
  return {
    // For development only.
    da: service('da', []),
    relayer: service('relayer', [RELAYER_KEY]),
  };
}

function networkService(manifest: Manifest): object {
  const node = nodeIn(manifest);
  return {
    ...confined(manifest, '64Mi'),
    entrypoint: ['node', '-e', 'setInterval(() => undefined, 2 ** 30)'],
    // It has nothing to close, and the first process of a container takes no other signal without asking for it.
    stop_signal: 'SIGKILL',
    ports: published(Object.entries(getPorts(node)).flatMap(([name, port]) => (name === 'metrics' ? [] : [port]))),
    networks: { default: { aliases: [node] } },
  };
}

function sequencerService(manifest: Manifest): object {
  const getPort = (url: string) => Number(new URL(url).port || '80');
  const [rpc, grpc] = [getPort(manifest.sequencerRpc), getPort(manifest.sequencerGrpc)];
  const genesis = `${PLACES.genesis}/${SEQUENCER_GENESIS}`;
  const settings = settingsFor(sequencer, {
    ...{ rpcAddr: `0.0.0.0:${rpc}`, genesisFilepath: genesis, privValidatorKeyFile: `/run/secrets/${VALIDATOR_KEY}` },
    ...{ grpcAddr: `0.0.0.0:${grpc}`, allowedHosts: SEQUENCER, dbFilepath: `${PLACES.data}/${SEQUENCER}` },
    ...{ log: manifest.logLevel, prettyPrint: manifest.useTTY },
  });
  return {
    ...confined(manifest, SEQUENCER_MEMORY),
    entrypoint: getCommand(PROGRAMS.sequencer, SEQUENCER_MEMORY),
    environment: environment(settingsIn(settings)),
    ports: published([rpc, grpc]),
    secrets: [VALIDATOR_KEY],
    volumes: [data(SEQUENCER), file(SEQUENCER_GENESIS, genesis)],
    healthcheck: healthcheck(PROGRAMS.sequencer, { rpc }),
  };
}
