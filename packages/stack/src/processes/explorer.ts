import { fields } from '@switchyard/explorer/config';
import type { Program } from '../process.ts';
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

export const explorer: Program<typeof fields, Follows> = {
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
};
