import { fields } from '@switchyard/da/config';
import { type Entry, type Program, settingsFor, type ValuesFor } from '../process.ts';

/** The local data-availability layer, for development only. */
export const da: Program<typeof fields> = {
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
};

/** Chain id of the local layer. */
export const LOCAL_LAYER = fields.chainId.fallback ?? 'local-da';

/** In utia: more than fees will ever take, since there is nothing else to do with it. */
const ALL_FUNDS = 1_000_000_000_000;
/** A day or so of blocks that are empty. */
const RETAINED_BLOCKS = 50_000;

/** @param account The account that has everything: that of the relayer, `celestia1...`. */
export function localLayerSettings(
  account: string,
  { emptyBlockIntervalMs, log, forceStdout, prettyPrint, metricsHttpListenerAddr, ...places }: ValuesFor<typeof fields>,
): Entry[] {
  return settingsFor(da, {
    ...{ ...places, chainId: LOCAL_LAYER, emptyBlockIntervalMs, retainBlocks: RETAINED_BLOCKS },
    ...{ genesisAccounts: `${account}:${ALL_FUNDS}`, log, forceStdout, prettyPrint, metricsHttpListenerAddr },
  });
}
