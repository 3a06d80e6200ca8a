import {
  type ConfigOf,
  clientAuthFields,
  type Env,
  field,
  grpcUrl,
  hexBytes,
  httpUrls,
  integer,
  listen,
  loadConfig,
  optional,
  type Parser,
  parser,
  standardFields,
  text,
} from '@switchyard/service/settings';
import type { CommitLevel } from './plan.ts';

export const PREFIX = 'SVC_CONDUCTOR_';

/** The wire's other levels wait for blocks from a data-availability network, which nothing here reads yet. */
const commitLevel: Parser<CommitLevel> = parser(
  'SoftIsFirm or SoftOnly (SoftAndFirm and FirmOnly need a data-availability reader, which does not exist yet)',
  'SoftIsFirm',
  (value) => (['SoftIsFirm', 'SoftOnly'] as const).find((level) => level.toLowerCase() === value.toLowerCase()),
);

/** Every setting of the conductor. `CELESTIA_*` variables of existing configurations are ignored. */
export const fields = {
  executionRpcUrl: field(`${PREFIX}EXECUTION_RPC_URL`, grpcUrl, {
    help: 'execution gRPC of the rollup to drive; unix:/path for a socket',
    fallback: 'http://127.0.0.1:50051',
  }),
  ...clientAuthFields('execution', `${PREFIX}EXECUTION_`, 'the rollup'),
  executionCommitLevel: field(`${PREFIX}EXECUTION_COMMIT_LEVEL`, commitLevel, {
    help: 'whether a block that the validators signed moves the firm commitment too (SoftIsFirm) or not (SoftOnly)',
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
  sequencerBlockTimeMs: field(`${PREFIX}SEQUENCER_BLOCK_TIME_MS`, integer({ min: 10, max: 3_600_000 }), {
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
  trustedHash: field(`${PREFIX}TRUSTED_HASH`, optional(hexBytes(32)), { help: 'hash of that block' }),
  trustingPeriodHours: field(`${PREFIX}TRUSTING_PERIOD_HOURS`, integer({ min: 1, max: 87_600 }), {
    help: 'how old that block may be if it is not the one before the first that is read',
    fallback: '336',
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

/** @throws {InvalidConfig} naming every missing or malformed variable at once. */
export function conductorConfig(env: Env): ConductorConfig {
  return loadConfig(fields, env);
}
