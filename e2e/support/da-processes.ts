import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCelestiaSigner, formatCelestiaAddress } from '@switchyard/protocol/celestia';
import { freePort } from '@switchyard/service/testing';
import { type Network, root, until } from './network.ts';
import { ask } from './submitting.ts';

/** A process of ours that can be killed and started again with the same state. */
export interface Restartable {
  readonly url: string;
  start(): Promise<void>;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Text that it has logged. */
  log(): string;
}

/** @param api Address of its /readyz. */
export function restartable(name: string, env: Readonly<Record<string, string>>, api: string): Restartable {
  let child: ChildProcess | undefined;
  let logged = '';
  return {
    url: api,
    log: () => logged,
    async start() {
      const started = spawn(process.execPath, [join(root, 'packages', name, 'dist', 'main.js')], {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (chunk: Uint8Array) => (logged += String(chunk)));
      await until(
        `${name} answers`,
        async () => {
          if (started.exitCode !== null) throw new Error(`${name} ended: ${logged.slice(-2_000)}`);
          return (await ask(`${api}/healthz`)).status === 200 ? true : undefined;
        },
        30_000,
        50,
      );
    },
    async stop(signal = 'SIGTERM') {
      const running = child;
      if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
      const closed = new Promise((resolve) => running.once('close', resolve));
      running.kill(signal);
      await closed;
    },
  };
}

export interface LayerAndRelayer {
  readonly layer: Restartable;
  /** The layer with other settings, in the place of the first. */
  layerWith(settings: Readonly<Record<string, string>>): Restartable;
  readonly layerGrpc: string;
  readonly relayer: Restartable;
  /** File with the relayer's key. */
  readonly keyFile: string;
  /** Settings of a conductor that reads from this layer. */
  conductorEnv(): Promise<Readonly<Record<string, string>>>;
}

const CHAIN = 'local-da';

interface SequencerPlace {
  readonly grpc: string;
  readonly rpc: string;
  readonly chainId: string;
}

/** Starts a network whose conductor reads from a layer next to it, and a relayer that posts there. */
export async function startWithLayer(network: Network, chainId: string): Promise<LayerAndRelayer> {
  const posting = await layerAndRelayer(join(network.home, 'posting'), {
    ...{ grpc: network.url('grpc'), rpc: network.url('rpc'), chainId },
  });
  await posting.layer.start();
  configure(network, { SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm', ...(await posting.conductorEnv()) });
  await network.start();
  await posting.relayer.start();
  return posting;
}

/**
 * The local layer and a relayer that posts to it, with a key of their own. Nothing is started.
 *
 * @param others Further accounts of the layer, with their funds.
 */
export async function layerAndRelayer(
  directory: string,
  sequencer: SequencerPlace,
  others: Readonly<Record<string, bigint>> = {},
): Promise<LayerAndRelayer> {
  const key = randomBytes(32);
  const keyFile = join(directory, 'relayer-key');
  mkdirSync(directory, { recursive: true });
  writeFileSync(keyFile, key.toString('hex'), { mode: 0o600 });
  const account = formatCelestiaAddress(createCelestiaSigner(key).account);
  const [rpcPort, grpcPort, apiPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const layerUrl = `http://127.0.0.1:${rpcPort}`;
  const layerWith = (settings: Readonly<Record<string, string>>) =>
    restartable(
      'da',
      {
        SVC_DA_API_LISTEN_ADDR: `127.0.0.1:${rpcPort}`,
        SVC_DA_GRPC_ADDR: `127.0.0.1:${grpcPort}`,
        SVC_DA_DB_FILEPATH: join(directory, 'da'),
        SVC_DA_CHAIN_ID: CHAIN,
        SVC_DA_BLOCK_INTERVAL_MS: '300',
        SVC_DA_EMPTY_BLOCK_INTERVAL_MS: '300',
        SVC_DA_GENESIS_ACCOUNTS: Object.entries({ [account]: 1_000_000_000_000n, ...others })
          .map(([address, amount]) => `${address}:${amount}`)
          .join(),
        SVC_DA_NO_METRICS: 'true',
        ...settings,
      },
      layerUrl,
    );
  const relayer = relayerTo(
    { directory, apiPort, sequencer },
    { grpc: `http://127.0.0.1:${grpcPort}`, chainId: CHAIN, keyFile },
  );
  return {
    ...{ layer: layerWith({}), layerWith, relayer, keyFile, layerGrpc: `http://127.0.0.1:${grpcPort}` },
    async conductorEnv() {
      const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'header.GetByHeight', params: [1] });
      const headers = { 'content-type': 'application/json' };
      const first = await until('the layer has a block', async () => {
        const { body } = await ask(layerUrl, { method: 'POST', headers, body: call });
        return body?.result?.commit?.block_id?.hash as string | undefined;
      });
      return {
        SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: layerUrl,
        SVC_CONDUCTOR_EXPECTED_CELESTIA_CHAIN_ID: CHAIN,
        SVC_CONDUCTOR_CELESTIA_TRUSTED_HEIGHT: '1',
        SVC_CONDUCTOR_CELESTIA_TRUSTED_HASH: first,
        SVC_CONDUCTOR_CELESTIA_BLOCK_TIME_MS: '100',
        SVC_CONDUCTOR_CELESTIA_AUTHORS: account,
      };
    },
  };
}

/** A relayer of this sequencer. */
export function relayerTo(
  {
    directory,
    apiPort,
    sequencer,
  }: {
    readonly directory: string;
    readonly apiPort: number;
    readonly sequencer: SequencerPlace;
  },
  layer: { readonly grpc: string; readonly chainId: string; readonly keyFile: string; readonly isPublishedKey?: true },
): Restartable {
  return restartable(
    'relayer',
    {
      SVC_RELAYER_SEQUENCER_GRPC_ENDPOINT: sequencer.grpc,
      SVC_RELAYER_SEQUENCER_ABCI_ENDPOINT: sequencer.rpc,
      SVC_RELAYER_SEQUENCER_CHAIN_ID: sequencer.chainId,
      SVC_RELAYER_DA_GRPC_ENDPOINT: layer.grpc,
      SVC_RELAYER_DA_CHAIN_ID: layer.chainId,
      SVC_RELAYER_PRIVATE_KEY_FILE: layer.keyFile,
      SVC_RELAYER_ALLOW_DEV_KEY: String(layer.isPublishedKey ?? false),
      SVC_RELAYER_DB_FILEPATH: join(directory, 'relayer'),
      SVC_RELAYER_API_LISTEN_ADDR: `127.0.0.1:${apiPort}`,
      SVC_RELAYER_BATCH_MS: '100',
      SVC_RELAYER_NO_METRICS: 'true',
    },
    `http://127.0.0.1:${apiPort}`,
  );
}

/** Settings of the services of a network, as its `base-config.toml` has them. */
export function configure(
  { home, instance }: { readonly home: string; readonly instance: string },
  settings: Readonly<Record<string, string>>,
): void {
  const path = join(home, instance, 'config', 'base-config.toml');
  let text = readFileSync(path, 'utf8');
  for (const [name, value] of Object.entries(settings)) {
    const line = `${name.toLowerCase()} = ${JSON.stringify(value)}`;
    const pattern = new RegExp(`^${name.toLowerCase()} = .*$`, 'm');
    text = pattern.test(text) ? text.replace(pattern, line) : `${line}\n${text}`;
  }
  writeFileSync(path, text);
}
