import { fields } from '@switchyard/explorer/config';
import { hasLocalLayer } from '../manifest/layer.ts';
import type { Deployable } from '../process.ts';
import { joined } from '../values.ts';

/** Settings that follow from other processes. */
type Follows =
  | 'sequencerAbciEndpoint'
  | 'sequencerGrpcEndpoint'
  | 'chainId'
  | 'composerUrl'
  | 'relayerUrl'
  | 'withdrawerUrls'
  | 'rollupUrls'
  | 'evmUrls'
  | 'pages';

export const explorer: Deployable<typeof fields, Follows> = {
  name: 'explorer',
  title:
    'Explorer. Its index can be deleted, and is then filled again; with svc_explorer_enabled = "false" it is not started',
  fields,
  listeners: { http: { field: fields.listenAddr, use: 'explorer page and HTTP API' } },
  // It shows its part while it fills its index, and while its nodes are away.
  ready: { listener: 'http', path: '/healthz' },
  needs: ['sequencer'],
  store: fields.dbFilepath,
  enabled: fields.enabled,
  documented: [fields.enabled],
  memory: { young: 4, heap: 256 },
  settings(member, { network, node, chainId, pages, rollups, members, running, usual, url }) {
    const urls = (members: typeof rollups) => joined(members.flatMap((each) => url(each, 'http') ?? []));
    return {
      ...{ listenAddr: usual(member, 'http'), ...node, chainId },
      ...{ composerUrl: url(members('composer')[0], 'health'), relayerUrl: url(running('relayer')[0], 'health') },
      withdrawerUrls: urls(running('withdrawer')),
      ...{ rollupUrls: urls(members('messenger')), evmUrls: urls(members('evm')) },
      ...{ dbFilepath: network.places.data('explorer'), pages },
    };
  },
  deployed: ({ process, manifest, site, node, pages }) => ({
    ...{ listenAddr: site.listen(process, 'http'), ...node },
    ...{ sequencerAddressPrefix: manifest.sequencerAddressPrefix, chainId: manifest.sequencerChainId },
    relayerUrl: hasLocalLayer(manifest) ? `http://${site.relayer}` : manifest.daRelayer,
    ...(manifest.kind === 'evm'
      ? { evmUrls: site.node, evmWalletUrls: site.url('executor'), rollupUrls: undefined }
      : { evmUrls: undefined, rollupUrls: site.node }),
    // Nothing outside of their pods reaches the composer and payers of withdrawals.
    ...{ composerUrl: undefined, withdrawerUrls: undefined },
    dbFilepath: site.data(process),
    ...{ allowedHosts: site.hostNames(process), ...site.proxies, pages },
  }),
};
