import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CELESTIA_PORTS, type InstancePaths } from '@switchyard/cli/dev';
import { fromHex } from '@switchyard/protocol';
import { createCelestiaSigner } from '@switchyard/protocol/celestia';
import { usualListener } from '@switchyard/stack/ports';
import { PROGRAMS } from '@switchyard/stack/programs';
import { settingsIn } from '@switchyard/stack/values';
import { celestiaFiles } from '../support/celestia.ts';
import type { Layer } from './observe/layer.ts';
import type { ChaosOptions } from './options.ts';
import { readyUrl, type Service } from './service.ts';

/** Seldom enough that several blocks of the sequencer share a transaction, often enough that each minute has many. */
const LAYER_BLOCK_MS = '500';

/** Settings that have the local layer and the relayer take more steps in the same time. */
export const LAYER_SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  da: settingsIn([
    [PROGRAMS.da.fields.blockIntervalMs, LAYER_BLOCK_MS],
    [PROGRAMS.da.fields.emptyBlockIntervalMs, LAYER_BLOCK_MS],
  ]),
  relayer: settingsIn([[PROGRAMS.relayer.fields.batchMs, LAYER_BLOCK_MS]]),
};

type CelestiaPort = keyof typeof CELESTIA_PORTS;

/** Processes of the layer, and the relayer. */
export function layerServices(kind: ChaosOptions['dataAvailability'], offset: number): Service[] {
  const at = (port: CelestiaPort) => `127.0.0.1:${CELESTIA_PORTS[port] + offset}`;
  const health = usualListener(PROGRAMS.relayer, 'health', { offset });
  const relayer = { name: 'relayer', readyUrl: `http://${health}/healthz`, store: 'relayer' };
  if (kind === 'none') return [];
  if (kind === 'local') return [{ name: 'da', readyUrl: readyUrl('da', { offset }), store: 'da' }, relayer];
  return [
    { name: 'celestia-app', readyUrl: `http://${at('appRpc')}/health`, store: 'celestia/app' },
    { name: 'celestia-bridge', readyUrl: `tcp://${at('bridgeRpc')}`, store: 'celestia/bridge' },
    { name: 'celestia-light', readyUrl: `tcp://${at('lightRpc')}`, store: 'celestia/light' },
    relayer,
  ];
}

/** Makes Celestia's programs known to an instance, if its layer is of these. @throws if they are not built. */
export function provideCelestia(kind: ChaosOptions['dataAvailability'], home: string): void {
  if (kind !== 'celestia') return;
  const files = celestiaFiles();
  if (files === undefined)
    throw new Error('no programs of Celestia found: node scripts/celestia.mjs builds them, with Go');
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const program of [files.celestia, files.appd]) symlinkSync(program, join(bin, basename(program)));
}

/** The layer to read posted blocks from; its key file exists once the network has run. */
export function makeLayer(
  kind: ChaosOptions['dataAvailability'],
  { relayerKey, config }: InstancePaths,
  { offset, sequencerChainId }: { readonly offset: number; readonly sequencerChainId: string },
): Layer {
  const local = (listener: string) => `http://${usualListener(PROGRAMS.da, listener, { offset })}`;
  const celestia = (port: CelestiaPort) => `http://127.0.0.1:${CELESTIA_PORTS[port] + offset}`;
  const isLocal = kind === 'local';
  return {
    lightNodeUrl: isLocal ? local('rpc') : celestia('lightRpc'),
    tokenFile: isLocal ? undefined : join(config, 'celestia', 'light_read_token'),
    consensusNodeUrl: isLocal ? local('grpc') : celestia('appGrpc'),
    account: createCelestiaSigner(fromHex(readFileSync(relayerKey, 'utf8').trim())).account,
    sequencerChainId,
  };
}
