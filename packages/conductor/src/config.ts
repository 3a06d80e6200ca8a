import type { CommitLevel } from '@switchyard/protocol';
import {
  type ConfigOf,
  clientAuthFields,
  field,
  grpcUrl,
  hexBytes,
  httpUrl,
  httpUrls,
  integer,
  list,
  listen,
  optional,
  path,
  pathOrS3Url,
  type Schema,
  standardFields,
  text,
  words,
} from '@switchyard/service/settings';

const PREFIX = 'SVC_CONDUCTOR_';

const commitLevel: Schema<CommitLevel> = words('SoftIsFirm', 'SoftOnly', 'SoftAndFirm', 'FirmOnly');

/** Every setting of the conductor. */
export const fields = {
  executionRpcUrl: field(`${PREFIX}EXECUTION_RPC_URL`, grpcUrl, {
    help: 'execution gRPC of the rollup to drive; unix:/path for a socket',
    fallback: 'http://127.0.0.1:50051',
  }),
  ...clientAuthFields('execution', `${PREFIX}EXECUTION_`, 'the rollup'),
  executionCommitLevel: field(`${PREFIX}EXECUTION_COMMIT_LEVEL`, commitLevel, {
    help: 'condition for a block to be firm: the signatures of the validators (SoftIsFirm), nothing (SoftOnly), or that it was read from the data-availability layer, executed before that (SoftAndFirm) or then (FirmOnly, which needs no sequencer)',
    fallback: 'SoftIsFirm',
  }),
  sequencerGrpcUrl: field(`${PREFIX}SEQUENCER_GRPC_URL`, httpUrls, {
    help: 'gRPC of the sequencer to read blocks from; of several nodes, separated by commas, the others take over where one fails, lags or returns invalid data',
    fallback: 'http://127.0.0.1:8080',
  }),
  sequencerCometbftUrl: field(`${PREFIX}SEQUENCER_COMETBFT_URL`, httpUrls, {
    help: 'CometBFT RPC of the same sequencer, for its chain id, headers and validators; of several nodes in the same order',
    fallback: 'http://127.0.0.1:26657',
  }),
  sequencerBlockTimeMs: field(`${PREFIX}SEQUENCER_BLOCK_TIME_MS`, integer({ min: 1, max: 3_600_000 }), {
    help: 'pause between polls, where the sequencer cannot push blocks',
    fallback: '2000',
  }),
  sequencerRequestsPerSecond: field(`${PREFIX}SEQUENCER_REQUESTS_PER_SECOND`, integer({ min: 1, max: 100_000 }), {
    help: 'limit on calls to the CometBFT RPC, where the sequencer cannot push blocks',
    fallback: '500',
  }),
  expectedSequencerChainId: field(`${PREFIX}EXPECTED_SEQUENCER_CHAIN_ID`, optional(text), {
    help: 'end rather than follow a sequencer of another chain; a rollup that names its chain is checked too',
  }),
  trustedHeight: field(`${PREFIX}TRUSTED_HEIGHT`, optional(integer({ min: 1 })), {
    help: 'height of a sequencer block whose hash is known to be right; needed only until the rollup has a block',
  }),
  trustedHash: field(`${PREFIX}TRUSTED_HASH`, optional(hexBytes(32)), {
    help: 'hash of that block',
  }),
  trustingPeriodHours: field(`${PREFIX}TRUSTING_PERIOD_HOURS`, integer({ min: 1, max: 87_600 }), {
    help: 'how old that block may be if it is not the one before the first that is read',
    fallback: '336',
  }),
  celestiaNodeHttpUrl: field(`${PREFIX}CELESTIA_NODE_HTTP_URL`, optional(httpUrl), {
    help: 'JSON-RPC of the data-availability node that firm blocks are read from: a light node of Celestia, or the local layer; needed for SoftAndFirm and FirmOnly',
  }),
  celestiaArchive: field(`${PREFIX}CELESTIA_ARCHIVE`, optional(pathOrS3Url), {
    help: 'an archive of the layer (`switchyard archive`), a directory or s3://BUCKET/PREFIX, for what the node does not have any more; without a node, all is read from it',
  }),
  celestiaArchiveS3Endpoint: field(`${PREFIX}CELESTIA_ARCHIVE_S3_ENDPOINT`, optional(httpUrl), {
    help: "of an archive in S3-compatible storage that is not Amazon's; credentials are found as the client of S3 does: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a credentials file, or a role",
  }),
  celestiaArchiveS3Region: field(`${PREFIX}CELESTIA_ARCHIVE_S3_REGION`, optional(text), {
    help: 'region of its bucket; otherwise AWS_REGION, or the profile',
  }),
  celestiaTokenFile: field(`${PREFIX}CELESTIA_TOKEN_FILE`, optional(path), {
    help: 'file of mode 600 with the token that this node asks for',
  }),
  celestiaBlockTimeMs: field(`${PREFIX}CELESTIA_BLOCK_TIME_MS`, integer({ min: 10, max: 3_600_000 }), {
    help: 'pause between two questions for its newest height',
    fallback: '1000',
  }),
  expectedCelestiaChainId: field(`${PREFIX}EXPECTED_CELESTIA_CHAIN_ID`, optional(text), {
    help: 'chain id of the layer, if the rollup does not name it; a named one must be the same',
  }),
  celestiaTrustedHeight: field(`${PREFIX}CELESTIA_TRUSTED_HEIGHT`, optional(integer({ min: 1 })), {
    help: 'height of a block of the layer whose hash is known to be right: everything else of the layer is verified from it on; a node on this machine is believed about its first block without it',
  }),
  celestiaTrustedHash: field(`${PREFIX}CELESTIA_TRUSTED_HASH`, optional(hexBytes(32)), {
    help: 'hash of that block',
  }),
  celestiaLookAhead: field(`${PREFIX}CELESTIA_LOOK_AHEAD`, optional(integer({ min: 0 })), {
    help: 'heights of the layer that may pass without a posted block before soft blocks wait for firm ones (SoftAndFirm); 0: any number; absent: what the genesis of the rollup states',
  }),
  celestiaHeaderFilepath: field(`${PREFIX}CELESTIA_HEADER_FILEPATH`, optional(path), {
    help: 'where the newest verified header of the layer is kept, so that a restart begins there; it can be deleted',
  }),
  celestiaAuthors: field(`${PREFIX}CELESTIA_AUTHORS`, list(text), {
    help: 'accounts (celestia1...), separated by commas, whose blobs alone are read; without any, all are, and forged ones cost time',
    fallback: '',
  }),
  checkedBlocks: field(`${PREFIX}CHECKED_BLOCKS`, integer({ min: 0, max: 10_000_000 }), {
    help: "newest blocks of the rollup that are compared with the sequencer's data at the start",
    fallback: '1000',
  }),
  apiListenAddr: field(`${PREFIX}API_LISTEN_ADDR`, listen, {
    help: 'where /healthz, /readyz, /status and /metrics answer',
    fallback: '127.0.0.1:50054',
  }),
  ...standardFields(PREFIX, '127.0.0.1:9002'),
};

export type ConductorConfig = ConfigOf<typeof fields>;
