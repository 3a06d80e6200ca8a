import {
  allOr,
  type ConfigOf,
  field,
  httpUrl,
  InvalidConfig,
  integer,
  list,
  listen,
  optional,
  pageOrigin,
  path,
  retentionFields,
  scrubField,
  standardFields,
  words,
} from '@switchyard/service/settings';
import { abciAddress } from './engine/comet/address.ts';
import { MEMPOOL_DEFAULTS } from './mempool/mempool.ts';

/** Times by which the interval of blocks of a quiet chain may have grown. */
export const QUIET_BLOCK_INTERVAL_GROWS = 10;

export const PREFIX = 'SVC_SEQUENCER_';

/** The settings of the sequencer. The printed reference is made from this table. */
export const fields = {
  engine: field(`${PREFIX}ENGINE`, words('solo', 'cometbft'), {
    help: 'engine that orders blocks: this process alone, or the CometBFT next to it',
    fallback: 'solo',
  }),
  grpcAddr: field(`${PREFIX}GRPC_ADDR`, listen, { help: 'where the gRPC services answer', fallback: '127.0.0.1:8080' }),
  rpcAddr: field(`${PREFIX}RPC_ADDR`, listen, {
    help: 'where the CometBFT RPC answers (engine solo)',
    fallback: '127.0.0.1:26657',
  }),
  rpcCorsOrigin: field(`${PREFIX}RPC_CORS_ORIGIN`, list(pageOrigin), {
    help: 'origins of the pages that may read what the CometBFT RPC answers, separated by commas, or * for all, like cors_allowed_origins of CometBFT (engine solo)',
    fallback: '',
  }),
  listenAddr: field([`${PREFIX}LISTEN_ADDR`, `${PREFIX}ABCI_LISTEN_URL`], abciAddress, {
    help: 'where CometBFT connects, its `proxy_app` (engine cometbft)',
    fallback: 'tcp://127.0.0.1:26658',
  }),
  cometbftRpcUrl: field(`${PREFIX}COMETBFT_RPC_URL`, httpUrl, {
    help: 'RPC of the CometBFT next to this process (engine cometbft)',
    fallback: 'http://127.0.0.1:26657',
  }),
  snapshotInterval: field(`${PREFIX}SNAPSHOT_INTERVAL`, integer({ min: 0, max: 1_000_000_000 }), {
    help: 'blocks between two snapshots of the state, from which new nodes can start; 0 takes none (engine cometbft)',
    fallback: '1000',
  }),
  snapshotsKept: field(`${PREFIX}SNAPSHOTS_KEPT`, integer({ min: 1, max: 100 }), {
    help: 'snapshots that are kept, newest first (engine cometbft)',
    fallback: '2',
  }),
  ...retentionFields(PREFIX),
  retainMegabytes: field(`${PREFIX}RETAIN_MEGABYTES`, allOr({ min: 16, max: 1_000_000_000 }), {
    help: 'size of the stored blocks above which the oldest are deleted, regardless of other limits (engine solo)',
    fallback: 'all',
  }),
  retainNonces: field(`${PREFIX}RETAIN_NONCES`, allOr({ min: 1_000, max: 4_000_000_000 }), {
    help: 'for so many of its newest nonces it is kept which transaction of an account spent them; a composer asks after a crash',
    fallback: '100000',
  }),
  dbFilepath: field(`${PREFIX}DB_FILEPATH`, path, { help: 'directory of the database, made if it does not exist' }),
  genesisFilepath: field(`${PREFIX}GENESIS_FILEPATH`, optional(path), {
    help: 'CometBFT genesis file of the chain (engine solo, which needs it)',
  }),
  privValidatorKeyFile: field(`${PREFIX}PRIV_VALIDATOR_KEY_FILE`, optional(path), {
    help: 'CometBFT key file of the validator that signs the blocks (engine solo, which needs it)',
  }),
  blockIntervalMs: field(`${PREFIX}BLOCK_INTERVAL_MS`, integer({ min: 1, max: 60_000 }), {
    help: 'least time between two blocks; a transaction that finds none younger is in a block at once',
    fallback: '1000',
  }),
  emptyBlockIntervalMs: field(`${PREFIX}EMPTY_BLOCK_INTERVAL_MS`, integer({ min: 10, max: 3_600_000 }), {
    help: 'time after which an empty block is made when nothing waits',
    fallback: '2000',
  }),
  quietBlockIntervalMs: field(`${PREFIX}QUIET_BLOCK_INTERVAL_MS`, optional(integer({ min: 10, max: 3_600_000 })), {
    help: 'time after which an empty block is made once there were no transactions for a minute, if it is longer; it grows to ten times as long in the first two hours without any. Transactions are not delayed (engine solo)',
  }),
  mempoolParkedMaxTxCount: field(`${PREFIX}MEMPOOL_PARKED_MAX_TX_COUNT`, integer({ min: 0, max: 1_000_000 }), {
    help: 'transactions that may wait for a missing nonce or for money, over all accounts',
    fallback: String(MEMPOOL_DEFAULTS.maxParked),
  }),
  mempoolMaxBytes: field(`${PREFIX}MEMPOOL_MAX_BYTES`, integer({ min: 65_536, max: 4_294_967_296 }), {
    help: 'bytes of all transactions that wait; more are refused',
    fallback: String(MEMPOOL_DEFAULTS.maxBytes),
  }),
  scrubBytesPerSecond: scrubField(PREFIX),
  ...standardFields(PREFIX, '127.0.0.1:9000'),
};

export type SequencerConfig = ConfigOf<typeof fields>;

/**
 * The two files that the solo engine needs, and that CometBFT has itself.
 *
 * @throws {InvalidConfig} naming the missing ones.
 */
export function soloFiles({ genesisFilepath, privValidatorKeyFile }: SequencerConfig) {
  if (genesisFilepath !== undefined && privValidatorKeyFile !== undefined) {
    return { genesisFile: genesisFilepath, keyFile: privValidatorKeyFile };
  }
  const missing = [
    ...(genesisFilepath === undefined ? [fields.genesisFilepath] : []),
    ...(privValidatorKeyFile === undefined ? [fields.privValidatorKeyFile] : []),
  ];
  throw new InvalidConfig(
    missing.map(({ names: [variable] }) => ({
      variable,
      expected: path.expects,
      got: 'nothing',
      advice: `set it, for example ${variable}=${path.example}`,
    })),
  );
}
