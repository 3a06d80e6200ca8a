import { DEFAULT_PREFIX, parseDenom } from '@switchyard/protocol/values';
import {
  bool,
  type ConfigOf,
  field,
  httpUrls,
  integer,
  listen,
  listenOrUnix,
  optional,
  parser,
  path,
  scrubField,
  serverAuthFields,
  standardFields,
  text,
} from '@switchyard/service/settings';
import { rollupEntries } from './evm/rollup-entry.ts';

const PREFIX = 'SVC_COMPOSER_';

const denom = parser('the name of an asset', 'nria', parseDenom);

/** All settings of the composer. The printed reference is generated from this table. */
export const fields = {
  apiListenAddr: field(`${PREFIX}API_LISTEN_ADDR`, listen, {
    help: 'where /healthz, /readyz and /status answer',
    fallback: '127.0.0.1:50053',
  }),
  grpcAddr: field(`${PREFIX}GRPC_ADDR`, listenOrUnix, {
    help: 'listener for submissions; unix:/path for a socket that only this user can use',
    fallback: '127.0.0.1:50052',
  }),
  ...serverAuthFields('grpc', `${PREFIX}GRPC_`, ['local', 'secret', 'open']),
  sequencerAbciEndpoint: field(`${PREFIX}SEQUENCER_ABCI_ENDPOINT`, httpUrls, {
    help: 'CometBFT RPC of a sequencer node; of several, separated by commas, one is used and the others take over',
    fallback: 'http://127.0.0.1:26657',
  }),
  sequencerGrpcEndpoint: field(`${PREFIX}SEQUENCER_GRPC_ENDPOINT`, httpUrls, {
    help: 'gRPC of the same node; of several nodes in the same order',
    fallback: 'http://127.0.0.1:8080',
  }),
  sequencerChainId: field(`${PREFIX}SEQUENCER_CHAIN_ID`, text, {
    help: 'chain that the transactions are signed for',
  }),
  sequencerAddressPrefix: field(`${PREFIX}SEQUENCER_ADDRESS_PREFIX`, text, {
    help: 'prefix of addresses on that chain',
    fallback: DEFAULT_PREFIX,
  }),
  rollups: field(`${PREFIX}ROLLUPS`, rollupEntries, {
    help: 'EVM nodes that know nothing of composers, NAME::WS_URL, separated by commas: their pending transactions are submitted for the rollup of that name. Other rollups, and our own EVM node, submit over gRPC and stand not here',
    fallback: '',
  }),
  privateKeyPassphraseFile: field(`${PREFIX}PRIVATE_KEY_PASSPHRASE_FILE`, optional(path), {
    help: 'file of mode 600 with the passphrase, if the key is encrypted (`switchyard keys`)',
  }),
  privateKeyFile: field(`${PREFIX}PRIVATE_KEY_FILE`, path, {
    help: 'file with the ed25519 seed, 64 hexadecimal digits or encrypted, of the account that pays',
  }),
  allowDevKey: field(`${PREFIX}ALLOW_DEV_KEY`, bool, {
    help: 'use a public test key even if the sequencer is not a local one',
    fallback: 'false',
  }),
  dbFilepath: field(`${PREFIX}DB_FILEPATH`, path, {
    help: 'directory of the queue, made if it does not exist',
  }),
  maxSubmitIntervalMs: field(
    [`${PREFIX}MAX_SUBMIT_INTERVAL_MS`, `${PREFIX}BLOCK_TIME_MS`],
    integer({ min: 1, max: 60_000 }),
    {
      help: 'time a submission waits for others to share its bundle: up to ten times as long under load, not at all after a pause',
      fallback: '10',
    },
  ),
  maxBytesPerBundle: field(`${PREFIX}MAX_BYTES_PER_BUNDLE`, integer({ min: 1_000, max: 16_777_216 }), {
    help: 'most bytes of a transaction, and about the longest submission; at most what the sequencer takes',
    fallback: '200000',
  }),
  bundleQueueCapacity: field(`${PREFIX}BUNDLE_QUEUE_CAPACITY`, integer({ min: 1, max: 10_000_000 }), {
    help: 'submissions that may wait for a block; more are refused',
    fallback: '100000',
  }),
  maxQueueBytes: field(`${PREFIX}MAX_QUEUE_BYTES`, integer({ min: 1_000_000, max: 4_294_967_296 }), {
    help: 'bytes of them',
    fallback: '33554432',
  }),
  deduplicationSeconds: field(`${PREFIX}DEDUPLICATION_SECONDS`, integer({ min: 0, max: 604_800 }), {
    help: 'how long, in running time of the composer, bytes that are in a block are recognised when they are submitted again, and acknowledged without being included twice; 0: each submission is included, as by the original composer',
    fallback: '3600',
  }),
  maxFeesPerHour: field(`${PREFIX}MAX_FEES_PER_HOUR`, optional(integer({ min: 1 })), {
    help: 'units of the fee asset that submissions may cost in an hour, on average; more are refused. If unset, the balance is the bound',
  }),
  keptOutcomes: field(`${PREFIX}KEPT_OUTCOMES`, integer({ min: 1_000, max: 10_000_000 }), {
    help: 'finished submissions that are remembered, to answer what became of them and to recognise copies; about 100 bytes of memory each',
    fallback: '250000',
  }),
  feeAsset: field(`${PREFIX}FEE_ASSET`, denom, { help: 'asset that fees are paid in', fallback: 'nria' }),
  scrubBytesPerSecond: scrubField(PREFIX),
  ...standardFields(PREFIX, '127.0.0.1:9001'),
};

export type ComposerProcessConfig = ConfigOf<typeof fields>;
