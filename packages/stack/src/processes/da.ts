import { fields } from '@switchyard/da/config';
import type { Deployable } from '../process.ts';

/** Chain id of the local layer. */
export const LOCAL_LAYER = fields.chainId.fallback ?? 'local-da';

/** In utia: more than fees will ever take, since there is nothing else to do with it. */
const ALL_FUNDS = 1_000_000_000_000;
/** A day or so of blocks that are empty. */
const RETAINED_BLOCKS = 50_000;

/** Settings that follow from other processes. */
type Follows = 'genesisAccounts';

/** The local data-availability layer, for development only. */
export const da: Deployable<typeof fields, Follows> = {
  name: 'da',
  title:
    'Local data-availability layer, for development only: it speaks as a node of Celestia does, and only this machine has its blocks',
  fields,
  listeners: {
    rpc: { field: fields.apiListenAddr, use: 'data availability, JSON-RPC' },
    grpc: { field: fields.grpcAddr, use: 'data availability, gRPC' },
  },
  ready: { listener: 'rpc', path: '/readyz' },
  needs: [],
  store: fields.dbFilepath,
  documented: [fields.blockIntervalMs],
  memory: { young: 4, heap: 256 },
  settings: (member, { network, usual }) => ({
    ...{ apiListenAddr: usual(member, 'rpc'), grpcAddr: usual(member, 'grpc'), dbFilepath: network.places.data('da') },
    ...{ ...localChain(network.layerAccount), emptyBlockIntervalMs: 12_000 },
  }),
  deployed: ({ process, site, layerAccount }) => ({
    ...{ apiListenAddr: site.listen(process, 'rpc'), grpcAddr: site.listen(process, 'grpc') },
    ...{ dbFilepath: site.data(process), ...localChain(layerAccount) },
  }),
};

/** @param account The account that has everything: that of the relayer, `celestia1...`. */
export const localChain = (account: string) => ({
  ...{ chainId: LOCAL_LAYER, emptyBlockIntervalMs: 2_000, retainBlocks: RETAINED_BLOCKS },
  genesisAccounts: `${account}:${ALL_FUNDS}`,
});
