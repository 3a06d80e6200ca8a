import { type RollupId, rollupIdFromBytes } from '@switchyard/protocol/values';
import {
  bool,
  type ConfigOf,
  type Field,
  field,
  httpUrls,
  integer,
  list,
  listen,
  optional,
  parser,
  path,
  type Schema,
  scrubField,
  standardFields,
  text,
} from '@switchyard/service/settings';

const PREFIX = 'SVC_RELAYER_';
/** Settings of the original relayer are read too; `ASTRIA_` may stand for `SVC_`. */
const OLD = 'SVC_SEQUENCER_RELAYER_';

const rollupId: Schema<RollupId> = parser(
  'the 32 bytes of a rollup id in base64 or hexadecimal',
  '9c2c0f1d8b6c4a1ea0c5f6b16e2f5d3f9c2c0f1d8b6c4a1ea0c5f6b16e2f5d3f',
  (value) => {
    const bytes = Buffer.from(value, /^[0-9a-f]{64}$/i.test(value) ? 'hex' : 'base64');
    return bytes.length === 32 ? rollupIdFromBytes(Uint8Array.from(bytes)) : undefined;
  },
);

/** Kept as text: it is compared with the layer's demand, and shown. */
const gasPrice = parser('a decimal number of utia, such as 0.02', '0.02', (value) =>
  /^\d{1,6}(\.\d{1,9})?$/.test(value) && Number(value) > 0 ? value : undefined,
);

const names = (own: string, old = own) => [`${PREFIX}${own}`, `${OLD}${old}`] as const;

/** All settings of the relayer. */
export const fields = {
  sequencerGrpcEndpoint: field(names('SEQUENCER_GRPC_ENDPOINT'), httpUrls, {
    help: 'gRPC of the sequencer to read blocks from; of several nodes, separated by commas, the others take over where one fails, lags or returns invalid data',
    fallback: 'http://127.0.0.1:8080',
  }),
  sequencerAbciEndpoint: field(names('SEQUENCER_ABCI_ENDPOINT', 'COMETBFT_ENDPOINT'), httpUrls, {
    help: 'CometBFT RPC of the same sequencer, for signed headers and validators; of several nodes in the same order',
    fallback: 'http://127.0.0.1:26657',
  }),
  sequencerChainId: field(names('SEQUENCER_CHAIN_ID'), text, { help: 'chain whose blocks are posted' }),
  sequencerBlockTimeMs: field(names('SEQUENCER_BLOCK_TIME_MS', 'BLOCK_TIME'), integer({ min: 1, max: 3_600_000 }), {
    help: 'pause between questions for a new block',
    fallback: '500',
  }),
  startHeight: field(`${PREFIX}START_HEIGHT`, integer({ min: 1 }), {
    help: 'first block that is posted without earlier posts; later the state decides',
    fallback: '1',
  }),
  daGrpcEndpoint: field(names('DA_GRPC_ENDPOINT', 'CELESTIA_APP_GRPC_ENDPOINT'), httpUrls, {
    help: 'gRPC of a consensus node of the data-availability layer; of several, separated by commas, one is used and the others take over',
    fallback: 'http://127.0.0.1:9090',
  }),
  daChainId: field(names('DA_CHAIN_ID', 'CELESTIA_CHAIN_ID'), text, {
    help: 'chain id of the data-availability layer',
  }),
  privateKeyFile: field(names('PRIVATE_KEY_FILE', 'CELESTIA_APP_KEY_FILE'), path, {
    help: 'file of mode 600 with the secp256k1 key, 64 hexadecimal digits or encrypted, of the account that pays on the layer',
  }),
  privateKeyPassphraseFile: field(`${PREFIX}PRIVATE_KEY_PASSPHRASE_FILE`, optional(path), {
    help: 'file of mode 600 with the passphrase, if the key is encrypted (`switchyard keys`)',
  }),
  allowDevKey: field(`${PREFIX}ALLOW_DEV_KEY`, bool, {
    help: 'use a published test key even if the layer is not a local one',
    fallback: 'false',
  }),
  maxGasPrice: field(`${PREFIX}MAX_GAS_PRICE`, gasPrice, {
    help: 'most utia for each unit of gas; while the layer asks for more, blocks wait',
    fallback: '0.1',
  }),
  lowBalance: field(`${PREFIX}LOW_BALANCE`, integer({ min: 0 }), {
    help: 'utia of the account below which a warning is logged and shown',
    fallback: '5000000',
  }),
  batchMs: field(`${PREFIX}BATCH_MS`, integer({ min: 10, max: 3_600_000 }), {
    help: 'how long a block with data of rollups waits for others to share its transaction; one without waits for 30 times as long, at most 30 s, or until one with data comes',
    fallback: '6000',
  }),
  maxBatchBytes: field(`${PREFIX}MAX_BATCH_BYTES`, integer({ min: 10_000, max: 2_000_000 }), {
    help: 'compressed bytes of a transaction; a larger block is divided between several',
    fallback: '1000000',
  }),
  inFlight: field(`${PREFIX}IN_FLIGHT`, integer({ min: 1, max: 16 }), {
    help: 'transactions that may be under way at a time, each sent before the one before is in a block',
    fallback: '4',
  }),
  onlyIncludeRollups: field(names('ONLY_INCLUDE_ROLLUPS'), list(rollupId), {
    help: 'rollups, separated by commas, whose data is posted; all if empty. Others get no firm blocks from it',
    fallback: '',
  }),
  dbFilepath: field(`${PREFIX}DB_FILEPATH`, path, {
    help: 'directory of the state: the posted blocks, and the transaction under way. Made if it does not exist',
  }),
  apiListenAddr: field(names('API_LISTEN_ADDR', 'API_ADDR'), listen, {
    help: 'where /healthz, /readyz and /status answer',
    fallback: '127.0.0.1:2450',
  }),
  scrubBytesPerSecond: scrubField(PREFIX),
  ...withOldNames(standardFields(PREFIX, '127.0.0.1:9010')),
};

export type RelayerConfig = ConfigOf<typeof fields>;

/** Each field under its name with the original's prefix, too. */
function withOldNames<T extends Readonly<Record<string, Field<unknown>>>>(table: T): T {
  const renamed = Object.entries(table).map(([key, each]) => {
    const old = each.names[0].replace(PREFIX, OLD);
    return [key, { ...each, names: [each.names[0], old, ...each.names.slice(1)] }];
  });
  // The keys are unchanged, and the fields too but for an additional name.
  return Object.fromEntries(renamed) as T;
}
