import { fields } from '@switchyard/conductor/config';
import { daLightEndpoint, daToken, readsFirm, trustedBlock } from '../manifest/layer.ts';
import type { LayerSetting, Member, NetworkLayer } from '../network.ts';
import type { Deployable } from '../process.ts';
import { toText } from '../values.ts';
import { bound, LAYER_POLL_MS, placeIn, type Wiring } from '../wiring.ts';
import { da, LOCAL_LAYER } from './da.ts';
import { relayer } from './relayer.ts';
import { sequencer } from './sequencer.ts';

/** Settings that follow from other processes. */
type Follows =
  | 'executionRpcUrl'
  | 'executionCommitLevel'
  | 'sequencerGrpcUrl'
  | 'sequencerCometbftUrl'
  | 'sequencerBlockTimeMs'
  | 'expectedSequencerChainId'
  | 'executionSecretFile'
  | LayerSetting;

export const conductor: Deployable<typeof fields, Follows> = {
  name: 'conductor',
  title: 'Conductor',
  fields,
  listeners: { health: { field: fields.apiListenAddr, use: 'health' } },
  further: { second: { health: 50_056, metrics: 9_005 } },
  ready: { listener: 'health', path: '/readyz' },
  needs: ['sequencer', 'da', 'messenger', 'evm'],
  documented: [fields.sequencerRequestsPerSecond],
  memory: { young: 4, heap: 256 },
  settings(member, wiring) {
    const { network, nodes, chainId: expectedSequencerChainId, rollups, members, stated, usual, url } = wiring;
    // Conductors feed the rollups in the order of the file.
    const position = members('conductor').findIndex(({ label }) => label === member.label);
    const [first] = members('sequencer');
    const pace = first && stated(first, sequencer.fields.blockIntervalMs);
    return {
      executionRpcUrl: url(rollups[Math.max(position, 0)], 'execution'),
      ...{ sequencerGrpcUrl: nodes.sequencerGrpcEndpoint, sequencerCometbftUrl: nodes.sequencerAbciEndpoint },
      ...{ expectedSequencerChainId, sequencerBlockTimeMs: pace && { ...pace, differs: 'warning' } },
      ...{ apiListenAddr: usual(member, 'health'), executionSecretFile: network.places.executionSecret },
      ...toLayer(member, wiring),
    };
  },
  deployed({ process, manifest, site, node }) {
    const { daKind, daUrl, daNetwork, daAuthors } = manifest;
    const urls = {
      light: daLightEndpoint(manifest)?.url,
      external: daUrl,
      local: `http://${site.listen('da', 'rpc')}`,
    };
    // A conductor without firm blocks has no settings of the layer.
    const ifRead = <T>(value: T) => (readsFirm(manifest) ? value : undefined);
    const trusted = ifRead(trustedBlock(manifest));
    return {
      ...{ executionRpcUrl: `http://${site.execution}`, executionCommitLevel: manifest.executionCommitLevel },
      ...{ sequencerGrpcUrl: node.sequencerGrpcEndpoint, sequencerCometbftUrl: node.sequencerAbciEndpoint },
      ...{ expectedSequencerChainId: manifest.sequencerChainId, apiListenAddr: site.listen(process, 'health') },
      // No manifest has the pace of its sequencer or layer, and a rollup on loopback asks for no secret.
      ...{ sequencerBlockTimeMs: undefined, celestiaBlockTimeMs: undefined, executionSecretFile: undefined },
      celestiaNodeHttpUrl: ifRead(urls[daKind]),
      celestiaTokenFile: daToken(manifest) && site.tokenFile,
      expectedCelestiaChainId: ifRead(daKind === 'local' ? LOCAL_LAYER : daNetwork),
      celestiaTrustedHeight: trusted && String(trusted.height),
      celestiaTrustedHash: trusted?.hash.toLowerCase(),
      celestiaHeaderFilepath: ifRead(`${site.data(process)}/celestia-header.json`),
      celestiaAuthors: ifRead(daAuthors),
    };
  },
};

/** Whether a conductor of this level reads firm blocks from a data-availability layer. */
export function readsLayer(level: string | undefined): boolean {
  return /^(SoftAndFirm|FirmOnly)$/i.test(level ?? '');
}

function toLayer(member: Member, { network, stated, running, url }: Wiring) {
  const [layer] = running('da');
  const [poster] = running('relayer');
  const other = network.getLayer?.(member.label);
  const from = placeIn(network, layer);
  const level = other?.level ?? { value: layer === undefined ? 'SoftIsFirm' : 'SoftAndFirm', from };
  const chain =
    other?.expectedCelestiaChainId ??
    (layer && (stated(layer, da.fields.chainId) ?? { value: LOCAL_LAYER, from })) ??
    // The layer that a relayer posts to, if no node of it is known.
    (poster && stated(poster, relayer.fields.daChainId));
  const isRead = readsLayer(stated(member, fields.executionCommitLevel)?.value ?? toText(level));
  const node = url(layer, 'rpc');
  const known: Omit<NetworkLayer, 'level'> = other ?? {
    celestiaNodeHttpUrl: isRead ? bound(node) : node,
    celestiaBlockTimeMs: layer && { value: LAYER_POLL_MS, from },
  };
  return {
    executionCommitLevel: level,
    celestiaNodeHttpUrl: known.celestiaNodeHttpUrl,
    celestiaBlockTimeMs: known.celestiaBlockTimeMs,
    expectedCelestiaChainId: isRead ? bound(chain) : chain,
    celestiaAuthors: known.celestiaAuthors ?? ((other ?? layer) ? network.authors?.() : undefined),
    // A local layer asks for no token, and is believed about its first block.
    celestiaTokenFile: known.celestiaTokenFile,
    celestiaTrustedHeight: known.celestiaTrustedHeight,
    celestiaTrustedHash: known.celestiaTrustedHash,
    celestiaHeaderFilepath: known.celestiaHeaderFilepath,
  };
}
