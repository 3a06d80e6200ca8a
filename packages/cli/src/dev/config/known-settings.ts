import { address, url } from '../instance/ports.ts';
import type { Builtin } from '../services/builtin.ts';

/*
 * Which settings our services read, and what they take where nothing is set. The services' own tables are the truth;
 * a test holds this copy to them, since a command line must not load a service to know its settings.
 */

/** Default by setting; `undefined` where there is none. */
export type KnownSettings = Readonly<Record<string, string | undefined>>;

function standard(prefix: string, metrics: string): KnownSettings {
  return {
    [`${prefix}LOG`]: 'info',
    [`${prefix}FORCE_STDOUT`]: 'false',
    [`${prefix}PRETTY_PRINT`]: undefined,
    [`${prefix}NO_OTEL`]: 'true',
    [`${prefix}NO_METRICS`]: 'false',
    [`${prefix}METRICS_HTTP_LISTENER_ADDR`]: metrics,
    [`${prefix}ALLOWED_HOSTS`]: '',
    [`${prefix}ALLOWED_ORIGINS`]: '',
    [`${prefix}MAX_CONNECTIONS_PER_ADDRESS`]: '256',
  };
}

function storing(prefix: string): KnownSettings {
  return { [`${prefix}SCRUB_BYTES_PER_SECOND`]: '1048576' };
}

/** Of a server that asks its callers who they are. */
function serverAuth(prefix: string): KnownSettings {
  const files = ['SECRET_FILE', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CLIENT_CA_FILE'];
  return { [`${prefix}AUTH`]: 'local', ...Object.fromEntries(files.map((name) => [prefix + name, undefined])) };
}

/** Of a client of such a server. */
function clientAuth(prefix: string): KnownSettings {
  const files = ['SECRET_FILE', 'TLS_CA_FILE', 'TLS_CERT_FILE', 'TLS_KEY_FILE'];
  return Object.fromEntries(files.map((name) => [prefix + name, undefined]));
}

export const KNOWN_SETTINGS: Readonly<Record<Builtin, KnownSettings>> = {
  sequencer: {
    SVC_SEQUENCER_ENGINE: 'solo',
    SVC_SEQUENCER_LISTEN_ADDR: 'tcp://127.0.0.1:26658',
    SVC_SEQUENCER_COMETBFT_RPC_URL: url('sequencerRpc', 0),
    SVC_SEQUENCER_GRPC_ADDR: address('sequencerGrpc', 0),
    SVC_SEQUENCER_RPC_ADDR: address('sequencerRpc', 0),
    SVC_SEQUENCER_RPC_CORS_ORIGIN: '',
    SVC_SEQUENCER_RETAIN_BLOCKS: 'all',
    SVC_SEQUENCER_RETAIN_HOURS: 'all',
    SVC_SEQUENCER_RETAIN_MEGABYTES: 'all',
    SVC_SEQUENCER_RETAIN_NONCES: '100000',
    SVC_SEQUENCER_DB_FILEPATH: undefined,
    SVC_SEQUENCER_GENESIS_FILEPATH: undefined,
    SVC_SEQUENCER_PRIV_VALIDATOR_KEY_FILE: undefined,
    SVC_SEQUENCER_BLOCK_INTERVAL_MS: '1000',
    SVC_SEQUENCER_EMPTY_BLOCK_INTERVAL_MS: '2000',
    SVC_SEQUENCER_MEMPOOL_PARKED_MAX_TX_COUNT: '200',
    SVC_SEQUENCER_MEMPOOL_MAX_BYTES: '33554432',
    SVC_SEQUENCER_SNAPSHOT_INTERVAL: '1000',
    SVC_SEQUENCER_SNAPSHOTS_KEPT: '2',
    ...storing('SVC_SEQUENCER_'),
    ...standard('SVC_SEQUENCER_', address('sequencerMetrics', 0)),
  },
  composer: {
    SVC_COMPOSER_API_LISTEN_ADDR: address('composerApi', 0),
    SVC_COMPOSER_GRPC_ADDR: address('composerGrpc', 0),
    SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT: url('sequencerRpc', 0),
    SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT: url('sequencerGrpc', 0),
    SVC_COMPOSER_SEQUENCER_CHAIN_ID: undefined,
    SVC_COMPOSER_SEQUENCER_ADDRESS_PREFIX: 'astria',
    SVC_COMPOSER_ROLLUPS: '',
    SVC_COMPOSER_PRIVATE_KEY_PASSPHRASE_FILE: undefined,
    SVC_COMPOSER_PRIVATE_KEY_FILE: undefined,
    SVC_COMPOSER_ALLOW_DEV_KEY: 'false',
    SVC_COMPOSER_DB_FILEPATH: undefined,
    SVC_COMPOSER_MAX_SUBMIT_INTERVAL_MS: '10',
    SVC_COMPOSER_MAX_BYTES_PER_BUNDLE: '200000',
    SVC_COMPOSER_BUNDLE_QUEUE_CAPACITY: '100000',
    SVC_COMPOSER_MAX_QUEUE_BYTES: '33554432',
    SVC_COMPOSER_DEDUPLICATION_SECONDS: '3600',
    SVC_COMPOSER_KEPT_OUTCOMES: '250000',
    SVC_COMPOSER_FEE_ASSET: 'nria',
    ...storing('SVC_COMPOSER_'),
    ...serverAuth('SVC_COMPOSER_GRPC_'),
    ...standard('SVC_COMPOSER_', address('composerMetrics', 0)),
  },
  conductor: {
    SVC_CONDUCTOR_EXECUTION_RPC_URL: url('rollupExecution', 0),
    SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftIsFirm',
    SVC_CONDUCTOR_SEQUENCER_GRPC_URL: url('sequencerGrpc', 0),
    SVC_CONDUCTOR_SEQUENCER_COMETBFT_URL: url('sequencerRpc', 0),
    SVC_CONDUCTOR_SEQUENCER_BLOCK_TIME_MS: '2000',
    SVC_CONDUCTOR_SEQUENCER_REQUESTS_PER_SECOND: '500',
    SVC_CONDUCTOR_EXPECTED_SEQUENCER_CHAIN_ID: undefined,
    SVC_CONDUCTOR_CHECKED_BLOCKS: '1000',
    SVC_CONDUCTOR_TRUSTED_HEIGHT: undefined,
    SVC_CONDUCTOR_TRUSTED_HASH: undefined,
    SVC_CONDUCTOR_TRUSTING_PERIOD_HOURS: '336',
    SVC_CONDUCTOR_API_LISTEN_ADDR: address('conductorApi', 0),
    ...clientAuth('SVC_CONDUCTOR_EXECUTION_'),
    ...standard('SVC_CONDUCTOR_', address('conductorMetrics', 0)),
  },
  messenger: {
    GENESIS_FILEPATH: 'rollup_genesis.json',
    DB_FILEPATH: '~/.switchyard/rollup',
    SEQUENCER_CHAIN_ID: undefined,
    COMPOSER_ADDR: url('composerGrpc', 0),
    EXECUTION_GRPC_ADDR: address('rollupExecution', 0),
    RETAIN_BLOCKS: 'all',
    RETAIN_HOURS: 'all',
    REST_ADDR: address('rollupHttp', 0),
    MAX_REQUESTS_PER_SECOND: '50000',
    MAX_CONNECTIONS: '2048',
    ...serverAuth('EXECUTION_'),
    ...clientAuth('COMPOSER_'),
    CORS_ORIGIN: '*',
    ...storing(''),
    ...standard('', address('rollupMetrics', 0)),
  },
  evm: {
    SVC_EVM_GENESIS_FILEPATH: 'evm_genesis.json',
    SVC_EVM_DB_FILEPATH: '~/.switchyard/evm',
    SVC_EVM_COMPOSER_ADDR: url('composerGrpc', 0),
    SVC_EVM_EXECUTION_GRPC_ADDR: address('evmExecution', 0),
    SVC_EVM_HTTP_ADDR: address('evmHttp', 0),
    SVC_EVM_RETAIN_BLOCKS: 'all',
    SVC_EVM_RETAIN_HOURS: 'all',
    SVC_EVM_WS_ADDR: address('evmWs', 0),
    SVC_EVM_CORS_ORIGIN: '*',
    SVC_EVM_SAFE: 'soft',
    SVC_EVM_RPC_GAS_CAP: '50000000',
    SVC_EVM_CALL_TIMEOUT_MS: '5000',
    SVC_EVM_MAX_LOGS: '10000',
    SVC_EVM_MAX_BLOCK_RANGE: '0',
    SVC_EVM_BACKEND: 'embedded',
    SVC_EVM_STOCK_IPC_PATH: undefined,
    SVC_EVM_STOCK_RPC_URL: undefined,
    SVC_EVM_STOCK_ENGINE_URL: undefined,
    SVC_EVM_STOCK_JWT_FILE: undefined,
    ...storing('SVC_EVM_'),
    ...serverAuth('SVC_EVM_EXECUTION_'),
    ...clientAuth('SVC_EVM_COMPOSER_'),
    ...standard('SVC_EVM_', address('evmMetrics', 0)),
  },
  faucet: {
    SVC_FAUCET_KIND: 'evm',
    SVC_FAUCET_LISTEN_ADDR: address('faucet', 0),
    SVC_FAUCET_RPC_URL: url('evmHttp', 0),
    SVC_FAUCET_SEQUENCER_ABCI_ENDPOINT: url('sequencerRpc', 0),
    SVC_FAUCET_SEQUENCER_GRPC_ENDPOINT: url('sequencerGrpc', 0),
    SVC_FAUCET_SEQUENCER_ADDRESS_PREFIX: 'astria',
    SVC_FAUCET_CHAIN_ID: undefined,
    SVC_FAUCET_ASSET: 'nria',
    SVC_FAUCET_SYMBOL: undefined,
    SVC_FAUCET_PRECISION: undefined,
    SVC_FAUCET_PRIVATE_KEY_PASSPHRASE_FILE: undefined,
    SVC_FAUCET_PRIVATE_KEY_FILE: undefined,
    SVC_FAUCET_ALLOW_DEV_KEY: 'false',
    SVC_FAUCET_AMOUNT: '1',
    SVC_FAUCET_MINUTES: '0',
    SVC_FAUCET_CLIENT_CLAIMS: '5',
    SVC_FAUCET_PROXY_COUNT: '0',
    SVC_FAUCET_QUEUE_CAP: '100',
    SVC_FAUCET_NAME: undefined,
    SVC_FAUCET_DB_FILEPATH: undefined,
    ...storing('SVC_FAUCET_'),
    ...standard('SVC_FAUCET_', address('faucetMetrics', 0)),
  },
};

/** Second names that the services read as well. */
const ALIASES = [
  ...['SVC_SEQUENCER_ABCI_LISTEN_URL', 'SVC_COMPOSER_BLOCK_TIME_MS', 'SVC_FAUCET_SEQUENCER_CHAIN_ID'],
  ...['RUST_LOG', 'NODE_OPTIONS'],
];

/** Of existing configurations: read by the reference's services, and ignored by ours. */
const IGNORED = /^(SVC_CONDUCTOR_((NO_|EXPECTED_)?CELESTIA_)|NO_COLOR$|OTEL_|SVC_SEQUENCER_NO_OPTIMISTIC)/;

/** Prefixes under which every setting is one of ours. */
const OURS = /^SVC_(SEQUENCER|COMPOSER|CONDUCTOR|EVM|FAUCET)_/;

/** Whether one of our services reads a setting, given by our own name for it. */
export function statusOfSetting(name: string): 'known' | 'ignored' | 'unknown' | 'free' {
  if (ALL.has(name)) return 'known';
  if (IGNORED.test(name)) return 'ignored';
  // A key without our prefix belongs to a rollup of the user's, who alone knows it.
  return OURS.test(name) ? 'unknown' : 'free';
}

/** Names a mistyped setting may have meant: with our prefix only those of the same service. */
export function namesLike(name: string): string[] {
  const prefix = OURS.exec(name)?.[0];
  return [...ALL].filter((known) => (prefix === undefined ? !OURS.test(known) : known.startsWith(prefix)));
}

const ALL: ReadonlySet<string> = new Set([
  ...Object.values(KNOWN_SETTINGS).flatMap((settings) => Object.keys(settings)),
  ...ALIASES,
]);
