import {
  bool,
  type ConfigOf,
  field,
  integer,
  list,
  listen,
  optional,
  pageOrigin,
  path,
  standardFields,
} from '@switchyard/service';

/** The settings of a node that imports a chain that was made elsewhere, and answers from it. */
export const archiveFields = {
  dbFilepath: field('SVC_EVM_ARCHIVE_DB_FILEPATH', path, {
    help: 'directory of the database; made if it is not there',
    fallback: '~/.switchyard/evm-archive',
  }),
  genesisFilepath: field('SVC_EVM_ARCHIVE_GENESIS_FILEPATH', optional(path), {
    help: "genesis of the chain in go-ethereum's format; only needed for a new database",
  }),
  blocksFilepath: field('SVC_EVM_ARCHIVE_BLOCKS_FILEPATH', optional(path), {
    help: 'file of blocks in RLP, one after another, that are imported at the start',
  }),
  serve: field('SVC_EVM_ARCHIVE_SERVE', bool, {
    help: 'answer JSON-RPC after the import; false ends the process then',
    fallback: 'true',
  }),
  httpAddr: field('SVC_EVM_ARCHIVE_HTTP_ADDR', listen, {
    help: 'where JSON-RPC answers over HTTP and WebSocket, and /healthz, /readyz and /status',
    fallback: '127.0.0.1:8547',
  }),
  corsOrigin: field('SVC_EVM_ARCHIVE_CORS_ORIGIN', list(pageOrigin), {
    help: 'origins of the pages that may ask, separated by commas, or * for all',
    fallback: '*',
  }),
  rpcGasCap: field('SVC_EVM_ARCHIVE_RPC_GAS_CAP', integer({ min: 21_000, max: 10_000_000_000 }), {
    help: 'gas that a call gets at most',
    fallback: '50000000',
  }),
  callTimeoutMs: field('SVC_EVM_ARCHIVE_CALL_TIMEOUT_MS', integer({ min: 10, max: 3_600_000 }), {
    help: 'how long a call or a trace may take, in milliseconds',
    fallback: '5000',
  }),
  maxLogs: field('SVC_EVM_ARCHIVE_MAX_LOGS', integer({ min: 1, max: 1_000_000 }), {
    help: 'logs that a query answers at most; one that finds more is refused',
    fallback: '10000',
  }),
  maxBlockRange: field('SVC_EVM_ARCHIVE_MAX_BLOCK_RANGE', integer({ min: 0, max: 1_000_000_000 }), {
    help: 'blocks that a query for logs may span; 0 for any number',
    fallback: '0',
  }),
  ...standardFields('SVC_EVM_ARCHIVE_', '127.0.0.1:9008'),
};

export type ArchiveConfig = ConfigOf<typeof archiveFields>;
