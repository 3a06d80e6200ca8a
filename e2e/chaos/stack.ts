import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alice, carol, type InstancePaths, instancePaths } from '@switchyard/cli/dev';
import { cometbft } from '../support/comet.ts';
import { createNetwork, type Network, PORTS } from '../support/network.ts';
import { createProxy, type TcpProxy } from '../support/proxy.ts';
import { createWallClock, type WallClock } from './faults/clock.ts';
import { mountSmallDisk, type SmallDisk } from './faults/disk.ts';
import { createStepKills, type StepKills } from './faults/steps.ts';
import { LAYER_SETTINGS, layerOf, layerServices, provideCelestia } from './layer-services.ts';
import type { Layer } from './observe/layer.ts';
import type { ChaosOptions } from './options.ts';
import type { Service } from './service.ts';
import { withServiceEnv } from './service-env.ts';

/** A network that can be attacked: its services, and the places where faults go in. */
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
  /** @param keep Leaves the state of the processes below the instance, for whoever looks into what went wrong. */
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
  const services = [...servicesOf(network, rollup, engine), ...ofLayer];
  const steppable = dataAvailability === 'none' ? [] : services.map(({ name }) => name).filter(isOurs);
  const stepKills = createStepKills(network.home);
  const rollupService = rollup === 'messenger' ? 'rollup' : 'evm';
  const disk = mountSmallDisk(paths.data);
  const clock = createWallClock(network.home);
  const proxies = await createProxies(network, rollup);
  const routed = routes(proxies, rollup);

  let text = readFileSync(paths.networks, 'utf8');
  for (const { name } of services) {
    const faked = typeof clock === 'string' || !isOurs(name) ? {} : clock.env;
    const stepping = steppable.includes(name) ? stepKills.env(name) : {};
    const env = { ...faked, ...stepping, ...LAYER_SETTINGS[name], ...routed[name] };
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
        : () => layerOf(dataAvailability, paths, { offset: network.offset, sequencerChainId: CHAIN_ID }),
    bridge: bridgeOf(paths, rollup),
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

function servicesOf(network: Network, rollup: ChaosOptions['rollup'], engine: ChaosOptions['engine']): Service[] {
  const url = (port: keyof typeof PORTS, path = '/readyz') => `${network.url(port)}${path}`;
  const at = (name: string) => (engine === 'solo' ? name : join('cometbft', name));
  const sequencer =
    engine === 'solo'
      ? [{ name: 'sequencer', readyUrl: url('rpc', '/health'), store: 'sequencer' }]
      : [
          // The application has no HTTP of its own: CometBFT answers queries only while it is there.
          { name: 'sequencer-0', readyUrl: url('rpc', '/abci_info'), store: 'cometbft/node-0/sequencer' },
          { name: 'cometbft-0', readyUrl: url('rpc', '/health'), store: 'cometbft/node-0/comet' },
        ];
  const rollups =
    rollup === 'messenger'
      ? [{ name: 'rollup', readyUrl: url('rollup'), store: at('rollup') }]
      : [
          { name: 'evm', readyUrl: url('evm'), store: at('evm') },
          { name: 'faucet', readyUrl: url('faucet'), store: at('faucet') },
          { name: 'sequencer-faucet', readyUrl: url('sequencerFaucet'), store: at('sequencer-faucet') },
        ];
  return [
    ...sequencer,
    { name: 'composer', readyUrl: url('composer'), store: at('composer') },
    { name: 'conductor', readyUrl: url('conductor'), store: '' },
    ...rollups,
  ];
}

/** A proxy for each connection between two of the services. */
async function createProxies(network: Network, rollup: ChaosOptions['rollup']): Promise<Map<string, TcpProxy>> {
  const execution = rollup === 'messenger' ? PORTS.execution : PORTS.evmExecution;
  const ports = {
    'composer-rpc': PORTS.rpc,
    'composer-grpc': PORTS.grpc,
    'conductor-rpc': PORTS.rpc,
    'conductor-grpc': PORTS.grpc,
    'conductor-rollup': execution,
    'rollup-composer': PORTS.collector,
  };
  const proxies = new Map<string, TcpProxy>();
  for (const [name, port] of Object.entries(ports)) proxies.set(name, await createProxy(port + network.offset));
  return proxies;
}

/** Settings that send each service through its proxies. */
function routes(proxies: ReadonlyMap<string, TcpProxy>, rollup: ChaosOptions['rollup']) {
  const url = (name: string): string => proxies.get(name)?.url ?? '';
  const found: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    composer: {
      SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT: url('composer-rpc'),
      SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT: url('composer-grpc'),
    },
    conductor: {
      SVC_CONDUCTOR_SEQUENCER_COMETBFT_URL: url('conductor-rpc'),
      SVC_CONDUCTOR_SEQUENCER_GRPC_URL: url('conductor-grpc'),
      SVC_CONDUCTOR_EXECUTION_RPC_URL: url('conductor-rollup'),
    },
    ...(rollup === 'messenger'
      ? { rollup: { COMPOSER_ADDR: url('rollup-composer') } }
      : { evm: { SVC_EVM_COMPOSER_ADDR: url('rollup-composer') } }),
  };
  return found;
}

function bridgeOf({ rollupGenesis, evmGenesis }: InstancePaths, rollup: ChaosOptions['rollup']): string {
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

/** Where copies of stores are kept during a run. */
export function backupDirectory({ network }: Stack): string {
  const directory = join(network.home, 'backups');
  mkdirSync(directory, { recursive: true });
  return directory;
}
