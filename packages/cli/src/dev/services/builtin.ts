import { fileURLToPath } from 'node:url';
import { PORTS } from '../instance/ports.ts';

/** The services that come with Switchyard. */
export type Builtin = 'sequencer' | 'composer' | 'conductor' | 'messenger' | 'evm' | 'faucet';

export const SERVICE_VERSION = 'v0.1.0';

/** Where the sequencer answers the CometBFT that runs it. */
export const ABCI_SETTING = 'SVC_SEQUENCER_LISTEN_ADDR';

interface Listener {
  /** Environment variable that holds `host:port`. */
  readonly setting: string;
  /** What the service uses when the variable is not set. */
  readonly fallback: string;
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
  /** Which of the others it may need for its work. It waits for them by itself, so they are all started at once. */
  readonly needs: readonly Builtin[];
  /** Which listener answers over HTTP whether the service is ready, and where. */
  readonly ready: { readonly setting: string; readonly path: string };
}

const local = (port: number) => `127.0.0.1:${port}`;
const entry = (name: string, file = 'main.js') =>
  fileURLToPath(new URL(`../../../../${name}/dist/${file}`, import.meta.url));

/** Imports a chain that was made elsewhere and answers from it; runs alone, and is no service of a network. */
export const ARCHIVE_ENTRY = entry('evm', 'explorer/archive/main.js');

/** Verifies the blocks of a solo sequencer. */
export const BLOCK_LOG_ENTRY = entry('sequencer', 'engine/solo/store/verify-main.js');

/** Verifies the state in an EVM database. */
export const EVM_STATE_ENTRY = entry('evm', 'state/verify-main.js');

function metrics(prefix: string, port: number): Listener {
  return {
    setting: `${prefix}METRICS_HTTP_LISTENER_ADDR`,
    fallback: local(port),
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
      { setting: 'SVC_SEQUENCER_RPC_ADDR', fallback: local(PORTS.sequencerRpc), use: 'CometBFT RPC', engine: 'solo' },
      { setting: ABCI_SETTING, fallback: `tcp://${local(26_658)}`, use: 'ABCI', engine: 'cometbft' },
      { setting: 'SVC_SEQUENCER_GRPC_ADDR', fallback: local(PORTS.sequencerGrpc), use: 'gRPC' },
      metrics('SVC_SEQUENCER_', PORTS.sequencerMetrics),
    ],
    ready: { setting: 'SVC_SEQUENCER_RPC_ADDR', path: '/health' },
  },
  composer: {
    entry: entry('composer'),
    store: 'SVC_COMPOSER_DB_FILEPATH',
    needs: ['sequencer'],
    listeners: [
      { setting: 'SVC_COMPOSER_GRPC_ADDR', fallback: local(PORTS.composerGrpc), use: 'gRPC' },
      { setting: 'SVC_COMPOSER_API_LISTEN_ADDR', fallback: local(PORTS.composerApi), use: 'health' },
      metrics('SVC_COMPOSER_', PORTS.composerMetrics),
    ],
    ready: { setting: 'SVC_COMPOSER_API_LISTEN_ADDR', path: '/readyz' },
  },
  messenger: {
    entry: entry('messenger'),
    store: 'DB_FILEPATH',
    needs: ['composer'],
    listeners: [
      { setting: 'REST_ADDR', fallback: local(PORTS.rollupHttp), use: 'chat page and HTTP API' },
      { setting: 'EXECUTION_GRPC_ADDR', fallback: local(PORTS.rollupExecution), use: 'execution gRPC' },
      metrics('', PORTS.rollupMetrics),
    ],
    ready: { setting: 'REST_ADDR', path: '/readyz' },
  },
  evm: {
    entry: entry('evm'),
    store: 'SVC_EVM_DB_FILEPATH',
    needs: ['composer'],
    listeners: [
      { setting: 'SVC_EVM_HTTP_ADDR', fallback: local(PORTS.evmHttp), use: 'Ethereum JSON-RPC' },
      { setting: 'SVC_EVM_WS_ADDR', fallback: local(PORTS.evmWs), use: 'Ethereum JSON-RPC, websocket' },
      { setting: 'SVC_EVM_EXECUTION_GRPC_ADDR', fallback: local(PORTS.evmExecution), use: 'execution gRPC' },
      metrics('SVC_EVM_', PORTS.evmMetrics),
    ],
    ready: { setting: 'SVC_EVM_HTTP_ADDR', path: '/readyz' },
  },
  conductor: {
    entry: entry('conductor'),
    needs: ['sequencer', 'messenger', 'evm'],
    listeners: [
      { setting: 'SVC_CONDUCTOR_API_LISTEN_ADDR', fallback: local(PORTS.conductorApi), use: 'health' },
      metrics('SVC_CONDUCTOR_', PORTS.conductorMetrics),
    ],
    ready: { setting: 'SVC_CONDUCTOR_API_LISTEN_ADDR', path: '/readyz' },
  },
  faucet: {
    entry: entry('faucet'),
    store: 'SVC_FAUCET_DB_FILEPATH',
    needs: ['sequencer', 'evm'],
    listeners: [
      { setting: 'SVC_FAUCET_LISTEN_ADDR', fallback: local(PORTS.faucet), use: 'faucet page and HTTP API' },
      metrics('SVC_FAUCET_', PORTS.faucetMetrics),
    ],
    ready: { setting: 'SVC_FAUCET_LISTEN_ADDR', path: '/readyz' },
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
};

export function isBuiltin(name: string): name is Builtin {
  return Object.hasOwn(BUILTINS, name);
}
