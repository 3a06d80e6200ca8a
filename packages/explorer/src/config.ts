import { DEFAULT_PREFIX } from '@switchyard/protocol/values';
import {
  bool,
  type ConfigOf,
  field,
  httpUrl,
  httpUrls,
  integer,
  list,
  listen,
  optional,
  pageOrigin,
  pagesField,
  parser,
  path,
  type Schema,
  secret,
  standardFields,
  text,
} from '@switchyard/service/settings';

const PREFIX = 'SVC_EXPLORER_';

/** File of the embedded index in its directory, which can be deleted while the process does not run. */
export const INDEX_FILE = 'index.db';

/** Nodes of one rollup. */
const nodeUrls: Schema<readonly string[]> = parser(
  'http:// or https:// URLs, those of one rollup separated by |',
  httpUrl.example,
  (value) => {
    const urls = value.split('|').map((each) => httpUrl.fromText(each.trim()));
    return urls.every((each) => each !== undefined) ? urls : undefined;
  },
);

/** The settings of the explorer. The printed reference is made from this table. */
export const fields = {
  enabled: field(`${PREFIX}ENABLED`, bool, {
    help: 'whether it is started; false where an instance should have none',
    fallback: 'true',
  }),
  listenAddr: field(`${PREFIX}LISTEN_ADDR`, listen, {
    help: 'where the page, the API, /healthz and /readyz answer',
    fallback: '127.0.0.1:3033',
  }),
  sequencerAbciEndpoint: field(`${PREFIX}SEQUENCER_ABCI_ENDPOINT`, httpUrls, {
    help: 'CometBFT RPC of a sequencer node; of several nodes, separated by commas, the others take over where one fails, lags or has another chain',
    fallback: 'http://127.0.0.1:26657',
  }),
  sequencerGrpcEndpoint: field(`${PREFIX}SEQUENCER_GRPC_ENDPOINT`, httpUrls, {
    help: 'gRPC of the same node; of several nodes in the same order',
    fallback: 'http://127.0.0.1:8080',
  }),
  sequencerAddressPrefix: field(`${PREFIX}SEQUENCER_ADDRESS_PREFIX`, text, {
    help: 'prefix of addresses on the sequencer',
    fallback: DEFAULT_PREFIX,
  }),
  chainId: field([`${PREFIX}CHAIN_ID`, `${PREFIX}SEQUENCER_CHAIN_ID`], optional(text), {
    help: 'chain that is expected at the node; any, if unset',
  }),
  rollupUrls: field(`${PREFIX}ROLLUP_URLS`, list(nodeUrls), {
    help: 'HTTP APIs of rollups of the framework, separated by commas, several nodes of one rollup by |; of other rollups only what the sequencer has is shown',
    fallback: '',
  }),
  evmUrls: field(`${PREFIX}EVM_URLS`, list(nodeUrls), {
    help: 'HTTP JSON-RPC of EVM rollups, separated by commas, several nodes of one rollup by |',
    fallback: '',
  }),
  evmWalletUrls: field(`${PREFIX}EVM_WALLET_URLS`, list(httpUrl), {
    help: 'addresses for wallets in browsers, one for each rollup of EVM_URLS in the same order; if empty, those in use there',
    fallback: '',
  }),
  evmSolcDirpath: field(`${PREFIX}EVM_SOLC_DIRPATH`, optional(path), {
    help: 'directory with further Solidity compilers for the verification of contracts: soljson-v….js files, or packages installed by npm',
  }),
  composerUrl: field(`${PREFIX}COMPOSER_URL`, optional(httpUrl), {
    help: 'HTTP address of a composer, whose newest submissions have their times in traces; if unset, traces begin at the sequencer',
  }),
  relayerUrl: field(`${PREFIX}RELAYER_URL`, optional(httpUrl), {
    help: 'HTTP address of a relayer, which knows the heights of the data-availability layer; if unset, none are shown',
  }),
  withdrawerUrls: field(`${PREFIX}WITHDRAWER_URLS`, list(httpUrl), {
    help: 'HTTP addresses of withdrawers, separated by commas, which have the balance sheets of bridge accounts; if empty, none are shown',
    fallback: '',
  }),
  pages: pagesField,
  dbFilepath: field(`${PREFIX}DB_FILEPATH`, path, {
    help: 'directory of the index, made if it does not exist. index.db can be deleted, and is then filled again; contracts.db must not be deleted: it has the sources of verified contracts',
  }),
  dbUrl: field(`${PREFIX}DB_URL`, optional(secret(text)), {
    help: 'postgres:// address of a database of its own, used instead of the directory; several explorers may share it',
  }),
  fetchConcurrency: field(`${PREFIX}FETCH_CONCURRENCY`, integer({ min: 1, max: 64 }), {
    help: 'blocks that are requested from one node at a time while the index is behind',
    fallback: '8',
  }),
  pollMs: field(`${PREFIX}POLL_MS`, integer({ min: 50, max: 60_000 }), {
    help: 'how often rollups are queried for new blocks, and the sequencer while it does not push them',
    fallback: '500',
  }),
  maxRequestsPerSecond: field(`${PREFIX}MAX_REQUESTS_PER_SECOND`, integer({ min: 1, max: 1_000_000 }), {
    help: 'requests to the API that one client address may make, twice as many at once',
    fallback: '200',
  }),
  corsOrigin: field(`${PREFIX}CORS_ORIGIN`, list(pageOrigin), {
    help: 'origins, separated by commas, of web pages that may read the API; * for any',
    fallback: '*',
  }),
  ...standardFields(PREFIX, '127.0.0.1:9008'),
};

export type ExplorerConfig = ConfigOf<typeof fields>;
