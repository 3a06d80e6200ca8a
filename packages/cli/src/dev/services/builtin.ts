import { fileURLToPath } from 'node:url';

/** The services that come with Switchyard. */
export type Builtin = 'sequencer' | 'composer' | 'conductor' | 'messenger' | 'evm' | 'faucet' | 'explorer';

export const SERVICE_VERSION = 'v0.1.0';

/** Where the sequencer answers the CometBFT that runs it. */
export const ABCI_SETTING = 'SVC_SEQUENCER_LISTEN_ADDR';

interface Listener {
  /** Environment variable that holds `host:port`. */
  readonly setting: string;
  readonly use: string;
  /** Only bound when the sequencer runs by this engine. */
  readonly engine?: 'solo' | 'cometbft';
  /** Only bound when `no_metrics` is off. */
  readonly metrics?: { readonly unless: string };
}

interface BuiltinService {
  /** Built entry file. The only place that knows where the other packages are. */
  readonly entry: string;
  readonly listeners: readonly Listener[];
  /** Setting that names where it keeps its state, which no other service may use. */
  readonly store?: string;
  /** Setting that, where it is false, has the service left out. */
  readonly enabled?: string;
  /** Which of the others it may need for its work. It waits for them by itself, so they are all started at once. */
  readonly needs: readonly Builtin[];
  /** Which listener answers over HTTP whether the service is ready, and where. */
  readonly ready: { readonly setting: string; readonly path: string };
}

const entry = (name: string, file = 'main.js') =>
  fileURLToPath(new URL(`../../../../${name}/dist/${file}`, import.meta.url));

/** Imports a chain that was made elsewhere and answers from it; runs alone, and is no service of a network. */
export const ARCHIVE_ENTRY = entry('evm', 'explorer/archive/main.js');

/** Verifies the blocks of a solo sequencer. */
export const BLOCK_LOG_ENTRY = entry('sequencer', 'engine/solo/store/verify-main.js');

/** Verifies the state in an EVM database. */
export const EVM_STATE_ENTRY = entry('evm', 'state/verify-main.js');

function metrics(prefix: string): Listener {
  return {
    setting: `${prefix}METRICS_HTTP_LISTENER_ADDR`,
    use: 'metrics',
    metrics: { unless: `${prefix}NO_METRICS` },
  };
}

/** In the order in which they are started; they stop in the reverse. */
export type Builtins = Readonly<Record<Builtin, BuiltinService>>;

export const BUILTINS: Builtins = {
  sequencer: {
    entry: entry('sequencer'),
    store: 'SVC_SEQUENCER_DB_FILEPATH',
    needs: [],
    listeners: [
      { setting: 'SVC_SEQUENCER_RPC_ADDR', use: 'CometBFT RPC', engine: 'solo' },
      { setting: ABCI_SETTING, use: 'ABCI', engine: 'cometbft' },
      { setting: 'SVC_SEQUENCER_GRPC_ADDR', use: 'gRPC' },
      metrics('SVC_SEQUENCER_'),
    ],
    ready: { setting: 'SVC_SEQUENCER_RPC_ADDR', path: '/health' },
  },
  composer: {
    entry: entry('composer'),
    store: 'SVC_COMPOSER_DB_FILEPATH',
    needs: ['sequencer'],
    listeners: [
      { setting: 'SVC_COMPOSER_GRPC_ADDR', use: 'gRPC' },
      { setting: 'SVC_COMPOSER_API_LISTEN_ADDR', use: 'health' },
      metrics('SVC_COMPOSER_'),
    ],
    ready: { setting: 'SVC_COMPOSER_API_LISTEN_ADDR', path: '/readyz' },
  },
  messenger: {
    entry: entry('messenger'),
    store: 'DB_FILEPATH',
    needs: ['composer'],
    listeners: [
      { setting: 'REST_ADDR', use: 'chat page and HTTP API' },
      { setting: 'EXECUTION_GRPC_ADDR', use: 'execution gRPC' },
      metrics(''),
    ],
    ready: { setting: 'REST_ADDR', path: '/readyz' },
  },
  evm: {
    entry: entry('evm'),
    store: 'SVC_EVM_DB_FILEPATH',
    needs: ['composer'],
    listeners: [
      { setting: 'SVC_EVM_HTTP_ADDR', use: 'Ethereum JSON-RPC' },
      { setting: 'SVC_EVM_WS_ADDR', use: 'Ethereum JSON-RPC, websocket' },
      { setting: 'SVC_EVM_EXECUTION_GRPC_ADDR', use: 'execution gRPC' },
      metrics('SVC_EVM_'),
    ],
    ready: { setting: 'SVC_EVM_HTTP_ADDR', path: '/readyz' },
  },
  conductor: {
    entry: entry('conductor'),
    needs: ['sequencer', 'messenger', 'evm'],
    listeners: [{ setting: 'SVC_CONDUCTOR_API_LISTEN_ADDR', use: 'health' }, metrics('SVC_CONDUCTOR_')],
    ready: { setting: 'SVC_CONDUCTOR_API_LISTEN_ADDR', path: '/readyz' },
  },
  faucet: {
    entry: entry('faucet'),
    store: 'SVC_FAUCET_DB_FILEPATH',
    needs: ['sequencer', 'evm'],
    listeners: [{ setting: 'SVC_FAUCET_LISTEN_ADDR', use: 'faucet page and HTTP API' }, metrics('SVC_FAUCET_')],
    ready: { setting: 'SVC_FAUCET_LISTEN_ADDR', path: '/readyz' },
  },
  explorer: {
    entry: entry('explorer'),
    store: 'SVC_EXPLORER_DB_FILEPATH',
    enabled: 'SVC_EXPLORER_ENABLED',
    needs: ['sequencer'],
    listeners: [{ setting: 'SVC_EXPLORER_LISTEN_ADDR', use: 'explorer HTTP API' }, metrics('SVC_EXPLORER_')],
    // It shows what it has while it fills its index, and while its nodes are away.
    ready: { setting: 'SVC_EXPLORER_LISTEN_ADDR', path: '/healthz' },
  },
};

/** A small young generation, and collections before the heap has grown to what the machine could give. */
const SMALL_HEAP = '--max-semi-space-size=4 --max-old-space-size=256';
/** With the bound on the whole heap, those through which all bytes go would collect all the time: a third of their pace. */
const MANY_BYTES = '--max-semi-space-size=4';

/** What waits for its block outlives a small young generation, and would be collected at a higher price. */
const MANY_WAITING = '--max-semi-space-size=64';

/** Keeps memory small. `node_options` in the base settings replaces it. */
export const NODE_FLAGS: Readonly<Record<Builtin, string>> = {
  sequencer: MANY_BYTES,
  composer: MANY_BYTES,
  conductor: SMALL_HEAP,
  messenger: SMALL_HEAP,
  evm: MANY_WAITING,
  faucet: SMALL_HEAP,
  explorer: SMALL_HEAP,
};

/** What an empty `local_path` of a service with this label stands for. */
export const BUILTIN_OF_LABEL: Readonly<Record<string, Builtin>> = {
  sequencer: 'sequencer',
  composer: 'composer',
  conductor: 'conductor',
  rollup: 'messenger',
  messenger: 'messenger',
  evm: 'evm',
  faucet: 'faucet',
  explorer: 'explorer',
};

export function isBuiltin(name: string): name is Builtin {
  return Object.hasOwn(BUILTINS, name);
}

/** Every program that the command line launches; a package of it has to contain them. */
export const ENTRIES: readonly string[] = [
  ...Object.values(BUILTINS).map((builtin) => builtin.entry),
  ARCHIVE_ENTRY,
  BLOCK_LOG_ENTRY,
  EVM_STATE_ENTRY,
];
