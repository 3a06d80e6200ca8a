import { fields } from '@switchyard/conductor/config';
import type { LayerAccess, Member } from '../network.ts';
import type { Program } from '../process.ts';
import { type Text, toText } from '../values.ts';
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
  | 'expectedSequencerChainId';

export const conductor: Program<typeof fields, Follows> = {
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
    const { level, access } = layerFor(member, wiring);
    const [first] = members('sequencer');
    const pace = first && stated(first, sequencer.fields.blockIntervalMs);
    return {
      ...{ executionRpcUrl: url(rollups[Math.max(position, 0)], 'execution'), executionCommitLevel: level },
      ...{ sequencerGrpcUrl: nodes.sequencerGrpcEndpoint, sequencerCometbftUrl: nodes.sequencerAbciEndpoint },
      ...{ expectedSequencerChainId, sequencerBlockTimeMs: pace && { ...pace, differs: 'warning' } },
      ...{ apiListenAddr: usual(member, 'health'), executionSecretFile: network.places.executionSecret },
      ...access,
    };
  },
};

/** Whether a conductor of this level reads firm blocks from a data-availability layer. */
export function readsLayer(level: string | undefined): boolean {
  return /^(SoftAndFirm|FirmOnly)$/i.test(level ?? '');
}

function layerFor(
  member: Member,
  { network, stated, running, url }: Wiring,
): { readonly level: Text; readonly access: LayerAccess } {
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
  const expectedCelestiaChainId = isRead ? bound(chain) : chain;
  const celestiaAuthors = other?.celestiaAuthors ?? network.authors?.();
  if (other !== undefined) {
    const { level: _, grpc: __, ...access } = other;
    return { level, access: { ...access, expectedCelestiaChainId, celestiaAuthors } };
  }
  const node = url(layer, 'rpc');
  const celestiaNodeHttpUrl = isRead ? bound(node) : node;
  if (layer === undefined) return { level, access: { celestiaNodeHttpUrl, expectedCelestiaChainId } };
  const celestiaBlockTimeMs = { value: LAYER_POLL_MS, from };
  return { level, access: { celestiaNodeHttpUrl, expectedCelestiaChainId, celestiaAuthors, celestiaBlockTimeMs } };
}
