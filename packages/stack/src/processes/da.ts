import { fields } from '@switchyard/da/config';
import { type Entry, type Program, type Running, runningSettings, type Text } from '../process.ts';

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

export interface LocalLayerOptions extends Running {
  /** The account that has everything: that of the relayer, `celestia1...`. */
  readonly account: string;
  readonly rpc: Text;
  readonly grpc: Text;
  /** Names under which others reach it, separated by commas. */
  readonly hostNames?: string | undefined;
  readonly data: string;
  readonly emptyBlockMs: number;
}

export function localLayerSettings(of: LocalLayerOptions): Entry[] {
  return [
    [fields.apiListenAddr, of.rpc],
    [fields.grpcAddr, of.grpc],
    [fields.allowedHosts, of.hostNames],
    [fields.dbFilepath, of.data],
    [fields.chainId, LOCAL_LAYER],
    [fields.emptyBlockIntervalMs, of.emptyBlockMs],
    [fields.retainBlocks, RETAINED_BLOCKS],
    [fields.genesisAccounts, `${of.account}:${ALL_FUNDS}`],
    ...runningSettings(da, of),
  ];
}
