import { fields } from '@switchyard/withdrawer/config';
import type { Deployable } from '../process.ts';
import { placeIn } from '../wiring.ts';

/** Settings that follow from other processes. */
type Follows = 'kind' | 'rollupUrl' | 'sequencerAbciEndpoint' | 'sequencerGrpcEndpoint' | 'sequencerChainId';

export const withdrawer: Deployable<typeof fields, Follows> = {
  name: 'withdrawer',
  title: 'Withdrawer: pays withdrawals of the rollup out of its bridge account',
  fields,
  listeners: { http: { field: fields.apiListenAddr, use: 'withdrawals and balance sheet' } },
  further: { evm: { http: 2_452, metrics: 9_021 } },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['sequencer', 'messenger', 'evm'],
  store: fields.dbFilepath,
  enabled: fields.enabled,
  memory: { young: 4, heap: 256 },
  settings(member, { network, node, chainId, rollups, members, usual, url }) {
    const rollup =
      // Several rollups in one process have a withdrawer each.
      rollups.find(({ label }) => label === member.rollup) ?? members(member.kind === 'evm' ? 'evm' : 'messenger')[0];
    const isEvm = (rollup?.program ?? member.kind) === 'evm';
    // If another program has taken the place of the rollup, its withdrawals are unknown.
    const isOff = rollup?.isBuiltin !== true;
    return {
      kind: isEvm ? 'evm' : 'framework',
      enabled: isOff ? { value: 'false', from: placeIn(network) } : undefined,
      ...{ apiListenAddr: usual(member, 'http'), rollupUrl: url(rollup, 'http'), ...node, sequencerChainId: chainId },
      privateKeyFile: network.places.config(`${isEvm ? 'evm_' : ''}withdrawer_dev_priv_key`),
      ...{ commitment: 'soft', pollMs: 250, dbFilepath: network.places.data(member.label) },
    };
  },
  deployed: ({ process, manifest, site, node, bridge, allowDevKey }) => ({
    // Alongside the program of another, a local network would leave it out.
    ...{ enabled: true, kind: manifest.kind === 'evm' ? 'evm' : 'framework' },
    ...{ apiListenAddr: site.listen(process, 'http'), rollupUrl: site.node },
    ...{
      ...node,
      sequencerChainId: manifest.sequencerChainId,
      sequencerAddressPrefix: manifest.sequencerAddressPrefix,
    },
    ...{ bridgeAddress: bridge?.address, feeAsset: bridge?.feeAsset },
    ...{ privateKeyFile: site.keyFile(process), allowDevKey },
    commitment: manifest.withdrawerCommitment === 'soft' ? 'soft' : undefined,
    ...{ dbFilepath: site.data(process), allowedHosts: site.hostNames(process) },
  }),
};
