import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type InstancePaths, PORTS, type PortName } from '@switchyard/cli/dev';
import { fromHex } from '@switchyard/protocol';
import { createCelestiaSigner } from '@switchyard/protocol/celestia';
import { celestiaFiles } from '../support/celestia.ts';
import type { Layer } from './observe/layer.ts';
import type { ChaosOptions } from './options.ts';
import type { Service } from './service.ts';

/** Seldom enough that several blocks of the sequencer share a transaction, often enough that each minute has many. */
const LAYER_BLOCK_MS = '500';

/** Settings that have the local layer and the relayer take more steps in the same time. */
export const LAYER_SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  da: { SVC_DA_BLOCK_INTERVAL_MS: LAYER_BLOCK_MS, SVC_DA_EMPTY_BLOCK_INTERVAL_MS: LAYER_BLOCK_MS },
  relayer: { SVC_RELAYER_BATCH_MS: LAYER_BLOCK_MS },
};

/** Processes of the layer, and the relayer. */
export function layerServices(kind: ChaosOptions['dataAvailability'], offset: number): Service[] {
  const url = (port: PortName, path: string) => `http://127.0.0.1:${PORTS[port] + offset}${path}`;
  const tcp = (port: PortName) => `tcp://127.0.0.1:${PORTS[port] + offset}`;
  const relayer = { name: 'relayer', readyUrl: url('relayerApi', '/healthz'), store: 'relayer' };
  if (kind === 'none') return [];
  if (kind === 'local') return [{ name: 'da', readyUrl: url('daApi', '/readyz'), store: 'da' }, relayer];
  return [
    { name: 'celestia-app', readyUrl: url('celestiaAppRpc', '/health'), store: 'celestia/app' },
    { name: 'celestia-bridge', readyUrl: tcp('celestiaBridgeRpc'), store: 'celestia/bridge' },
    { name: 'celestia-light', readyUrl: tcp('celestiaLightRpc'), store: 'celestia/light' },
    relayer,
  ];
}

/** Makes Celestia's programs known to an instance, where its layer is of these. @throws where they are not built. */
export function provideCelestia(kind: ChaosOptions['dataAvailability'], home: string): void {
  if (kind !== 'celestia') return;
  const files = celestiaFiles();
  if (files === undefined)
    throw new Error('no programs of Celestia found: node scripts/celestia.mjs builds them, with Go');
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const program of [files.celestia, files.appd]) symlinkSync(program, join(bin, basename(program)));
}

/** Where what was posted is read; its key file is there once the network has run. */
export function layerOf(
  kind: ChaosOptions['dataAvailability'],
  { relayerKey, config }: InstancePaths,
  { offset, sequencerChainId }: { readonly offset: number; readonly sequencerChainId: string },
): Layer {
  const url = (port: PortName) => `http://127.0.0.1:${PORTS[port] + offset}`;
  const isLocal = kind === 'local';
  return {
    lightNodeUrl: url(isLocal ? 'daApi' : 'celestiaLightRpc'),
    tokenFile: isLocal ? undefined : join(config, 'celestia', 'light_read_token'),
    consensusNodeUrl: url(isLocal ? 'daGrpc' : 'celestiaAppGrpc'),
    account: createCelestiaSigner(fromHex(readFileSync(relayerKey, 'utf8').trim())).account,
    sequencerChainId,
  };
}
