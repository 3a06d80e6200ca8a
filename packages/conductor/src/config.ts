import type { CommitLevel } from '@switchyard/protocol';
import * as setting from '@switchyard/service/settings';

const PREFIX = 'SVC_CONDUCTOR_';

const commitLevel: setting.Schema<CommitLevel> = setting.words('SoftIsFirm', 'SoftOnly', 'SoftAndFirm', 'FirmOnly');

/** Every setting of the conductor. */
export const fields = {
  executionRpcUrl: setting.field(`${PREFIX}EXECUTION_RPC_URL`, setting.grpcUrl, {
    help: 'execution gRPC of the rollup to drive; unix:/path for a socket',
    fallback: 'http://127.0.0.1:50051',
  }),
  ...setting.clientAuthFields('execution', `${PREFIX}EXECUTION_`, 'the rollup'),
  executionCommitLevel: setting.field(`${PREFIX}EXECUTION_COMMIT_LEVEL`, commitLevel, {
    help: 'condition for a block to be firm: the signatures of the validators (SoftIsFirm), nothing (SoftOnly), or that it was read from the data-availability layer, executed before that (SoftAndFirm) or then (FirmOnly, which needs no sequencer)',
    fallback: 'SoftIsFirm',
  }),
  sequencerGrpcUrl: setting.field(`${PREFIX}SEQUENCER_GRPC_URL`, setting.httpUrls, {
    help: 'gRPC of the sequencer to read blocks from; of several nodes, separated by commas, the others take over where one fails, lags or returns invalid data',
    fallback: 'http://127.0.0.1:8080',
  }),
  sequencerCometbftUrl: setting.field(`${PREFIX}SEQUENCER_COMETBFT_URL`, setting.httpUrls, {
    help: 'CometBFT RPC of the same sequencer, for its chain id, headers and validators; of several nodes in the same order',
    fallback: 'http://127.0.0.1:26657',
  }),
  sequencerBlockTimeMs: setting.field(`${PREFIX}SEQUENCER_BLOCK_TIME_MS`, setting.integer({ min: 1, max: 3_600_000 }), {
    help: 'pause between polls, where the sequencer cannot push blocks',
    fallback: '2000',
  }),
  sequencerRequestsPerSecond: setting.field(
    `${PREFIX}SEQUENCER_REQUESTS_PER_SECOND`,
    setting.integer({ min: 1, max: 100_000 }),
    {
      help: 'limit on calls to the CometBFT RPC, where the sequencer cannot push blocks',
      fallback: '500',
    },
  ),
  expectedSequencerChainId: setting.field(`${PREFIX}EXPECTED_SEQUENCER_CHAIN_ID`, setting.optional(setting.text), {
    help: 'end rather than follow a sequencer of another chain; a rollup that names its chain is checked too',
  }),
  trustedHeight: setting.field(`${PREFIX}TRUSTED_HEIGHT`, setting.optional(setting.integer({ min: 1 })), {
    help: 'height of a sequencer block whose hash is known to be right; needed only until the rollup has a block',
  }),
  trustedHash: setting.field(`${PREFIX}TRUSTED_HASH`, setting.optional(setting.hexBytes(32)), {
    help: 'hash of that block',
  }),
  trustingPeriodHours: setting.field(`${PREFIX}TRUSTING_PERIOD_HOURS`, setting.integer({ min: 1, max: 87_600 }), {
    help: 'how old that block may be if it is not the one before the first that is read',
    fallback: '336',
  }),
  celestiaNodeHttpUrl: setting.field(`${PREFIX}CELESTIA_NODE_HTTP_URL`, setting.optional(setting.httpUrl), {
    help: 'JSON-RPC of the data-availability node that firm blocks are read from: a light node of Celestia, or the local layer; needed for SoftAndFirm and FirmOnly',
  }),
  celestiaArchive: setting.field(`${PREFIX}CELESTIA_ARCHIVE`, setting.optional(setting.pathOrS3Url), {
    help: 'an archive of the layer (`switchyard archive`), a directory or s3://BUCKET/PREFIX, for what the node does not have any more; without a node, all is read from it',
  }),
  celestiaArchiveS3Endpoint: setting.field(`${PREFIX}CELESTIA_ARCHIVE_S3_ENDPOINT`, setting.optional(setting.httpUrl), {
    help: "of an archive in S3-compatible storage that is not Amazon's; credentials are found as the client of S3 does: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a credentials file, or a role",
  }),
  celestiaArchiveS3Region: setting.field(`${PREFIX}CELESTIA_ARCHIVE_S3_REGION`, setting.optional(setting.text), {
    help: 'region of its bucket; otherwise AWS_REGION, or the profile',
  }),
  celestiaTokenFile: setting.field(`${PREFIX}CELESTIA_TOKEN_FILE`, setting.optional(setting.path), {
    help: 'file of mode 600 with the token that this node asks for',
  }),
  celestiaBlockTimeMs: setting.field(`${PREFIX}CELESTIA_BLOCK_TIME_MS`, setting.integer({ min: 10, max: 3_600_000 }), {
    help: 'pause between two questions for its newest height',
    fallback: '1000',
  }),
  expectedCelestiaChainId: setting.field(`${PREFIX}EXPECTED_CELESTIA_CHAIN_ID`, setting.optional(setting.text), {
    help: 'chain id of the layer, if the rollup does not name it; a named one must be the same',
  }),
  celestiaTrustedHeight: setting.field(
    `${PREFIX}CELESTIA_TRUSTED_HEIGHT`,
    setting.optional(setting.integer({ min: 1 })),
    {
      help: 'height of a block of the layer whose hash is known to be right: everything else of the layer is verified from it on; a node on this machine is believed about its first block without it',
    },
  ),
  celestiaTrustedHash: setting.field(`${PREFIX}CELESTIA_TRUSTED_HASH`, setting.optional(setting.hexBytes(32)), {
    help: 'hash of that block',
  }),
  celestiaLookAhead: setting.field(`${PREFIX}CELESTIA_LOOK_AHEAD`, setting.optional(setting.integer({ min: 0 })), {
    help: 'heights of the layer that may pass without a posted block before soft blocks wait for firm ones (SoftAndFirm); 0: any number; absent: what the genesis of the rollup states',
  }),
  celestiaHeaderFilepath: setting.field(`${PREFIX}CELESTIA_HEADER_FILEPATH`, setting.optional(setting.path), {
    help: 'where the newest verified header of the layer is kept, so that a restart begins there; it can be deleted',
  }),
  celestiaAuthors: setting.field(`${PREFIX}CELESTIA_AUTHORS`, setting.list(setting.text), {
    help: 'accounts (celestia1...), separated by commas, whose blobs alone are read; without any, all are, and forged ones cost time',
    fallback: '',
  }),
  checkedBlocks: setting.field(`${PREFIX}CHECKED_BLOCKS`, setting.integer({ min: 0, max: 10_000_000 }), {
    help: "newest blocks of the rollup that are compared with the sequencer's data at the start",
    fallback: '1000',
  }),
  apiListenAddr: setting.field(`${PREFIX}API_LISTEN_ADDR`, setting.listen, {
    help: 'where /healthz, /readyz, /status and /metrics answer',
    fallback: '127.0.0.1:50054',
  }),
  ...setting.standardFields(PREFIX, '127.0.0.1:9002'),
};

export type ConductorConfig = setting.ConfigOf<typeof fields>;
