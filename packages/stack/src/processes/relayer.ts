import { fields } from '@switchyard/relayer/config';
import type { Deployable } from '../process.ts';
import { bound, placeIn } from '../wiring.ts';
import { da, LOCAL_LAYER } from './da.ts';

/** Blocks of the local layer are made each second, and cost nothing. */
export const LOCAL_BATCH_MS = 1_000;

/** Settings that follow from other processes. */
type Follows =
  | 'sequencerAbciEndpoint'
  | 'sequencerGrpcEndpoint'
  | 'sequencerChainId'
  | 'daGrpcEndpoint'
  | 'daChainId'
  | 'batchMs';

export const relayer: Deployable<typeof fields, Follows> = {
  name: 'relayer',
  title: 'Relayer: posts the blocks of the sequencer to the data-availability layer',
  fields,
  listeners: { health: { field: fields.apiListenAddr, use: 'health' } },
  ready: { listener: 'health', path: '/readyz' },
  needs: ['sequencer', 'da'],
  store: fields.dbFilepath,
  documented: [fields.maxGasPrice],
  memory: { young: 4 },
  settings(member, { network, stated, nodes, chainId, running, usual, url }) {
    const other = network.getLayer?.(member.label);
    const [layer] = running('da');
    const chain = layer && (stated(layer, da.fields.chainId) ?? { value: LOCAL_LAYER, from: placeIn(network, layer) });
    return {
      ...{ ...nodes, sequencerChainId: chainId },
      daGrpcEndpoint: layer === undefined ? other?.grpc : bound(url(layer, 'grpc')),
      daChainId: bound(chain ?? other?.expectedCelestiaChainId),
      privateKeyFile: network.places.config('relayer_dev_priv_key'),
      // Blocks wait for each other only while the transaction before is under way.
      batchMs: layer === undefined ? 200 : LOCAL_BATCH_MS,
      ...{ dbFilepath: network.places.data('relayer'), apiListenAddr: usual(member, 'health') },
    };
  },
  deployed: ({ process, manifest, site, node }) => ({
    ...{ ...node, sequencerChainId: manifest.sequencerChainId, startHeight: manifest.sequencerHeight },
    ...{ daGrpcEndpoint: `http://${site.listen('da', 'grpc')}`, daChainId: LOCAL_LAYER },
    ...{ privateKeyFile: site.keyFile(process), batchMs: LOCAL_BATCH_MS, dbFilepath: site.data(process) },
    ...{ apiListenAddr: site.listen(process, 'health'), allowedHosts: site.hostNames(process) || undefined },
  }),
};
