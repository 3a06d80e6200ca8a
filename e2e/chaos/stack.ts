import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alice, carol, type InstancePaths, instancePaths } from '@switchyard/cli/dev';
import { memberFromLabel, type ProgramName } from '@switchyard/stack/network';
import { PROGRAMS } from '@switchyard/stack/programs';
import { settingsIn } from '@switchyard/stack/values';
import { cometbft } from '../support/comet.ts';
import { createNetwork, type Network, PORTS } from '../support/network.ts';
import { createProxy, type TcpProxy } from '../support/proxy.ts';
import { createWallClock, type WallClock } from './faults/clock.ts';
import { mountSmallDisk, type SmallDisk } from './faults/disk.ts';
import { createStepKills, type StepKills } from './faults/steps.ts';
import { LAYER_SETTINGS, layerServices, makeLayer, provideCelestia } from './layer-services.ts';
import type { Layer } from './observe/layer.ts';
import type { ChaosOptions } from './options.ts';
import { readyUrl, type Service } from './service.ts';
import { withServiceEnv } from './service-env.ts';

/** A network that can be attacked: its services, and the places for faults. */
export interface Stack {
  readonly network: Network;
  readonly paths: InstancePaths;
  /** Name of the network in `networks-config.toml`. */
  readonly networkName: string;
  readonly services: readonly Service[];
  readonly restorable: readonly string[];
  readonly repairable: readonly string[];
  readonly proxies: ReadonlyMap<string, TcpProxy>;
  /** A text is the reason why this machine has none. */
  readonly disk: SmallDisk | string;
  readonly clock: WallClock | string;
  /** Defined for networks with a layer. */
  readonly steps: { readonly kills: StepKills; readonly services: readonly string[] } | undefined;
  /** Defined for a network that has a layer, once it has run. */
  readonly layer: (() => Layer) | undefined;
  /** The account whose deposits the rollup takes. */
  readonly bridge: string;
  readonly rollupUrl: string;
  readonly chainId: string;
  /** @param keep Leaves the state of the processes below the instance, for the analysis of failures. */
  readonly close: (keep: boolean) => Promise<void>;
}

const INSTANCE = 'chaos';
const CHAIN_ID = 'sequencer-test-chain-0';
const BLOCK_INTERVAL_MS = 200;

export async function createStack({
  rollup,
  engine,
  dataAvailability,
}: Pick<ChaosOptions, 'rollup' | 'engine' | 'dataAvailability'>): Promise<Stack> {
  if (engine === 'cometbft' && cometbft === undefined) {
    throw new Error('no cometbft found: node scripts/cometbft.mjs builds it, with Go');
  }
  const validators = engine === 'cometbft' ? ['--engine', 'cometbft', '--validators', '1'] : [];
  const init = ['--template', rollup, ...validators, '--data-availability', dataAvailability];
  const network = await createNetwork({ instance: INSTANCE, init });
  provideCelestia(dataAvailability, network.home);
  const paths = instancePaths(network.home, INSTANCE);
  const networkName = engine === 'solo' ? 'local' : 'cometbft';
  const ofLayer = layerServices(dataAvailability, network.offset);
  const services = [...getServices(network, rollup, engine), ...ofLayer];
  const steppable = dataAvailability === 'none' ? [] : services.map(({ name }) => name).filter(isOurs);
  const stepKills = createStepKills(network.home);
  const rollupService = rollup === 'messenger' ? 'rollup' : 'evm';
  const disk = mountSmallDisk(paths.data);
  const clock = createWallClock(network.home);
  const proxies = new Map<string, TcpProxy>();
  const connections = getConnections(rollup);
  for (const { name, port } of connections) proxies.set(name, await createProxy(port + network.offset));

  let text = readFileSync(paths.networks, 'utf8');
  for (const { name } of services) {
    const faked = typeof clock === 'string' || !isOurs(name) ? {} : clock.env;
    const stepping = steppable.includes(name) ? stepKills.env(name) : {};
    const routed = connections.filter(({ service }) => service === name);
    const routes = settingsIn(routed.map((each) => [each.setting, proxies.get(each.name)?.url]));
    const env = { ...faked, ...stepping, ...LAYER_SETTINGS[name], ...routes };
    if (Object.keys(env).length > 0) text = withServiceEnv(text, { network: networkName, service: name }, env);
  }
  writeFileSync(paths.networks, text);
  const { status, stderr } = await network.switchyard(
    ...['dev', 'setconfig', 'blockinterval', String(BLOCK_INTERVAL_MS), '--instance', INSTANCE],
  );
  if (status !== 0) throw new Error(stderr);

  // CometBFT replays its blocks to an application that is behind.
  const replayable = engine === 'cometbft' ? ['sequencer-0'] : [];
  return {
    network,
    paths,
    networkName,
    services,
    restorable: [...(rollup === 'messenger' ? [rollupService] : []), ...replayable],
    repairable: [rollupService, ...replayable],
    proxies,
    disk,
    clock,
    steps: dataAvailability === 'none' ? undefined : { kills: stepKills, services: steppable },
    layer:
      dataAvailability === 'none'
        ? undefined
        : () => makeLayer(dataAvailability, paths, { offset: network.offset, sequencerChainId: CHAIN_ID }),
    bridge: getBridge(paths, rollup),
    rollupUrl: network.url(rollup === 'messenger' ? 'rollup' : 'evm'),
    chainId: CHAIN_ID,
    async close(keep) {
      await network.stop();
      if (typeof disk !== 'string') {
        // The disk goes with its mount.
        const kept = `${paths.data}.kept`;
        if (keep) cpSync(paths.data, kept, { recursive: true });
        disk.unmount();
        if (keep) cpSync(kept, paths.data, { recursive: true });
        rmSync(kept, { recursive: true, force: true });
      }
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    },
  };
}

/** Runs in Node. */
const isOurs = (name: string): boolean => !name.startsWith('cometbft') && !name.startsWith('celestia');

function getServices(network: Network, rollup: ChaosOptions['rollup'], engine: ChaosOptions['engine']): Service[] {
  const { offset } = network;
  const at = (name: string) => (engine === 'solo' ? name : join('cometbft', name));
  const service = (program: ProgramName, label: string = program): Service => {
    const hasStore = PROGRAMS[program].store !== undefined;
    const { kind } = memberFromLabel(label);
    return { name: label, readyUrl: readyUrl(program, { kind, offset }), store: hasStore ? at(label) : '' };
  };
  const sequencer =
    engine === 'solo'
      ? [service('sequencer')]
      : [
          // The application has no HTTP of its own: CometBFT answers queries only while it is there.
          { name: 'sequencer-0', readyUrl: `${network.url('rpc')}/abci_info`, store: 'cometbft/node-0/sequencer' },
          { name: 'cometbft-0', readyUrl: `${network.url('rpc')}/health`, store: 'cometbft/node-0/comet' },
        ];
  const rollups =
    rollup === 'messenger'
      ? [service('messenger', 'rollup')]
      : [service('evm'), service('faucet'), service('faucet', 'sequencer-faucet')];
  return [...sequencer, service('composer'), service('conductor'), ...rollups];
}

/** Connections between two of the services: a setting of the one, and the port of the other. */
function getConnections(rollup: ChaosOptions['rollup']) {
  const { composer, conductor, messenger, evm } = PROGRAMS;
  const [label, program, execution] =
    rollup === 'messenger' ? (['rollup', messenger, 'execution'] as const) : (['evm', evm, 'evmExecution'] as const);
  const connections = [
    ['composer-rpc', 'composer', composer.fields.sequencerAbciEndpoint, 'rpc'],
    ['composer-grpc', 'composer', composer.fields.sequencerGrpcEndpoint, 'grpc'],
    ['conductor-rpc', 'conductor', conductor.fields.sequencerCometbftUrl, 'rpc'],
    ['conductor-grpc', 'conductor', conductor.fields.sequencerGrpcUrl, 'grpc'],
    ['conductor-rollup', 'conductor', conductor.fields.executionRpcUrl, execution],
    ['rollup-composer', label, program.fields.composerAddr, 'collector'],
  ] as const;
  return connections.map(([name, service, setting, port]) => ({ name, service, setting, port: PORTS[port] }));
}

function getBridge({ rollupGenesis, evmGenesis }: InstancePaths, rollup: ChaosOptions['rollup']): string {
  const file = rollup === 'messenger' ? rollupGenesis : evmGenesis;
  const found = /astria1[a-z0-9]+/.exec(
    // `dev init` writes these files; the first address after one of these names is the bridge's.
    readFileSync(file, 'utf8').split(/"bridge_accounts"|"bridgeAddress"/)[1] ?? '',
  )?.[0];
  if (found === undefined) throw new Error(`${file} names no bridge account`);
  return found;
}

/** Makes the account a bridge account, once the network runs. */
export async function openBridge({ network, bridge }: Stack, rollup: ChaosOptions['rollup']): Promise<void> {
  const run = async (...args: string[]): Promise<void> => {
    const { status, stderr } = await network.switchyard(...args);
    if (status !== 0) throw new Error(`${args.slice(0, 2).join(' ')}: ${stderr}`);
  };
  if (rollup === 'evm') {
    const to = `0x${'00'.repeat(19)}01`;
    await run('evm', 'deposit', to, '--amount', '1', '--instance', INSTANCE);
    return;
  }
  await run('sequencer', 'transfer', bridge, '--amount', '1000', '--private-key', alice.key);
  await run('sequencer', 'init-bridge-account', '--rollup-name', 'messenger', '--private-key', carol.key);
}

/** Directory of copies of stores during a run. */
export function backupDirectory({ network }: Stack): string {
  const directory = join(network.home, 'backups');
  mkdirSync(directory, { recursive: true });
  return directory;
}
