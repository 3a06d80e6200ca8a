import { fields } from '@switchyard/composer/config';
import type { Deployable } from '../process.ts';

/** Settings that follow from other processes. */
type Follows = 'sequencerAbciEndpoint' | 'sequencerGrpcEndpoint' | 'sequencerChainId' | 'feeAsset' | 'grpcSecretFile';

export const composer: Deployable<typeof fields, Follows> = {
  name: 'composer',
  title:
    'Composer. Rollups submit over gRPC; svc_composer_rollups is for EVM nodes that know nothing of it, as NAME::WS_URL',
  fields,
  listeners: {
    collector: { field: fields.grpcAddr, use: 'gRPC' },
    health: { field: fields.apiListenAddr, use: 'health' },
  },
  ready: { listener: 'health', path: '/readyz' },
  needs: ['sequencer'],
  store: fields.dbFilepath,
  documented: [fields.sequencerAddressPrefix, fields.rollups, fields.bundleQueueCapacity],
  memory: { young: 4 },
  settings: (member, { network, nodes, chainId, usual }) => ({
    ...{ grpcAddr: usual(member, 'collector'), apiListenAddr: usual(member, 'health') },
    ...{ ...nodes, sequencerChainId: chainId, privateKeyFile: network.places.composerKey },
    ...{ allowDevKey: network.allowDevKey || undefined, dbFilepath: network.places.data('composer') },
    maxSubmitIntervalMs: 20,
    // Below the limit of a sequencer for a transaction: that of the genesis here, and of 256,000 bytes elsewhere.
    maxBytesPerBundle: network.kind === 'remote' ? 200_000 : 500_000,
    feeAsset:
      network.kind === 'solo'
        ? network.asset
        : { ...network.asset, written: true, ...(network.kind === 'remote' && { differs: 'warning' }) },
    grpcSecretFile: network.places.composerSecret,
  }),
  deployed: ({ process, manifest, site, node, allowDevKey }) => ({
    ...{ grpcAddr: site.listen(process, 'collector'), apiListenAddr: site.listen(process, 'health') },
    ...{
      ...node,
      sequencerChainId: manifest.sequencerChainId,
      sequencerAddressPrefix: manifest.sequencerAddressPrefix,
    },
    ...{ privateKeyFile: site.keyFile(process), allowDevKey, dbFilepath: site.data(process) },
    ...{ maxBytesPerBundle: manifest.maxBytesPerBundle, feeAsset: manifest.feeAsset },
    // Only the node reaches it, on loopback, where callers need no secret.
    grpcSecretFile: undefined,
  }),
};
