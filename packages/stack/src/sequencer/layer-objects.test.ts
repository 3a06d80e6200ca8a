import { fields as relayerFields } from '@switchyard/relayer/config';
import { loadConfig } from '@switchyard/service/settings';
import type { ConfigMap, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import { expect, test } from 'vitest';
import { layerObjects } from './layer-objects.ts';
import { relayerUrl, type SequencerNetwork } from './network.ts';

const network: SequencerNetwork = {
  ...{ name: 'chain', namespace: 'main', ingressHostname: 'localhost', storageSize: '1Gi', logLevel: 'info' },
  ...{ image: 'a', cometImage: 'b', chainId: 'main', genesis: '{}', nodes: [] },
  relayer: { key: 'ab'.repeat(32), layer: { kind: 'celestia', grpc: 'http://celestia:9090', chainId: 'mocha-5' } },
};

test('the explorers of all namespaces reach the API of the relayer under its name', () => {
  const objects = layerObjects(network);
  const find = <T>(kind: string, name = 'chain-relayer') =>
    // The kind determines the type.
    objects.find((each) => each.kind === kind && each.metadata?.name === name) as T | undefined;
  const { hostname, port } = new URL(relayerUrl(network));
  const service = find<Service>('Service');
  expect(`${service?.metadata?.name}.${service?.metadata?.namespace}.svc`).toBe(hostname);
  expect(service?.spec?.ports?.map((each) => each.port)).toContain(Number(port));
  const settings = loadConfig(relayerFields, find<ConfigMap>('ConfigMap', 'chain-relayer-settings')?.data ?? {});
  expect(settings).toMatchObject({ apiListenAddr: { host: '0.0.0.0', port: Number(port) } });
  expect(settings.allowedHosts).toContain(hostname);
  const [rule] = find<NetworkPolicy>('NetworkPolicy')?.spec?.ingress ?? [];
  expect(rule?.from).toEqual([{ namespaceSelector: {} }]);
  expect(rule?.ports?.map((each) => each.port)).toContain(Number(port));
});
