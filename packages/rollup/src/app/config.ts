import {
  type ConfigOf,
  clientAuthFields,
  field,
  grpcUrl,
  integer,
  type Listen,
  list,
  listenOrUnix,
  optional,
  pageOrigin,
  path,
  retentionFields,
  type Schema,
  scrubField,
  serverAuthFields,
  shortText,
  standardFields,
  withFacts,
} from '@switchyard/service/settings';

/** Some files have addresses as URLs. */
const listenOrUrl: Schema<Listen> = withFacts(listenOrUnix, {
  fromText: (text, env) => listenOrUnix.fromText(text.replace(/^http:\/\//i, '').replace(/\/+$/, ''), env),
});

const chainId = withFacts(shortText(50), { example: 'sequencer-test-chain-0' });

/** The settings of a rollup node. They have no prefix; this is the wire's choice, not ours. */
export const rollupFields = {
  genesisFilepath: field('GENESIS_FILEPATH', path, {
    help: 'genesis file of the rollup',
    fallback: 'rollup_genesis.json',
  }),
  dbFilepath: field('DB_FILEPATH', path, {
    help: 'directory of the database; made if it is not there',
    fallback: '~/.switchyard/rollup',
  }),
  sequencerChainId: field('SEQUENCER_CHAIN_ID', optional(chainId), {
    help: 'chain of the sequencer; needed where the genesis file does not name it, and must be the same where it does',
  }),
  composerAddr: field('COMPOSER_ADDR', grpcUrl, {
    help: 'gRPC endpoint of the composer that orders submissions; unix:/path for a socket',
    fallback: 'http://127.0.0.1:50052',
  }),
  executionGrpcAddr: field('EXECUTION_GRPC_ADDR', listenOrUrl, {
    help: 'where the conductor finds the Execution API; unix:/path for a socket that only this user can use',
    fallback: '127.0.0.1:50051',
  }),
  ...retentionFields(''),
  restAddr: field('REST_ADDR', listenOrUrl, { help: 'where the HTTP API answers', fallback: '127.0.0.1:3030' }),
  maxRequestsPerSecond: field('MAX_REQUESTS_PER_SECOND', integer({ min: 1, max: 1_000_000 }), {
    help: 'requests of one client address that are answered; each 256 bytes of a body count as one more',
    fallback: '50000',
  }),
  maxConnections: field('MAX_CONNECTIONS', integer({ min: 1, max: 65_536 }), {
    help: 'HTTP connections that are open at a time',
    fallback: '2048',
  }),
  maxStreams: field('MAX_STREAMS', integer({ min: 0, max: 65_536 }), {
    help: 'streams of server-sent events that are open at a time; each needs a connection',
    fallback: '1024',
  }),
  maxStreamsPerAddress: field('MAX_STREAMS_PER_ADDRESS', integer({ min: 0, max: 65_536 }), {
    help: 'streams of one client address; loopback is exempt',
    fallback: '32',
  }),
  ...serverAuthFields('execution', 'EXECUTION_', ['local', 'secret']),
  ...clientAuthFields('composer', 'COMPOSER_', 'the composer'),
  corsOrigin: field('CORS_ORIGIN', list(pageOrigin), {
    help: 'origins of the pages that may use the HTTP API, separated by commas, or * for all',
    fallback: '*',
  }),
  scrubBytesPerSecond: scrubField(''),
  ...standardFields('', '127.0.0.1:9003'),
  metricsHttpListenerAddr: field('METRICS_HTTP_LISTENER_ADDR', listenOrUrl, {
    help: 'where GET /metrics answers',
    fallback: '127.0.0.1:9003',
  }),
};

export type RollupConfig = ConfigOf<typeof rollupFields>;
