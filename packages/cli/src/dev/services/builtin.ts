import { fileURLToPath } from 'node:url';
import { RUN_FACTS } from '@switchyard/deployment/processes';

/** The services that come with Switchyard. */
export type Builtin =
  | 'sequencer'
  | 'da'
  | 'relayer'
  | 'composer'
  | 'conductor'
  | 'messenger'
  | 'evm'
  | 'faucet'
  | 'explorer';

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
  /** Of Node, to keep memory small. `node_options` in the base settings replaces them. */
  readonly nodeFlags: string;
}

const entry = (name: string, file = 'main.js') =>
  fileURLToPath(new URL(`../../../../${name}/dist/${file}`, import.meta.url));

/** Imports a chain that was made elsewhere and answers from it; runs alone, and is no service of a network. */
/** The EVM node that makes its own blocks. */
export const STANDALONE_ENTRY = entry('evm', 'standalone/main.js');
export const ARCHIVE_ENTRY = entry('evm', 'explorer/archive/main.js');

/** Verifies the blocks of a solo sequencer. */
export const BLOCK_LOG_ENTRY = entry('sequencer', 'engine/solo/store/verify-main.js');

/** Verifies the state in an EVM database. */
export const EVM_STATE_ENTRY = entry('evm', 'state/verify-main.js');

const youngGeneration = (megabytes: number) => `--max-semi-space-size=${megabytes}`;
/** A small young generation, and collections before the heap has grown to what the machine could give. */
const SMALL_HEAP = `${youngGeneration(4)} --max-old-space-size=256`;
/** Texts live until their block is executed, and a smaller young generation moves most of them to the old one first. */
const MANY_TEXTS = `${youngGeneration(16)} --max-old-space-size=256`;
/** With the bound on the whole heap, those through which all bytes go would collect all the time: a third of their pace. */
const MANY_BYTES = youngGeneration(RUN_FACTS.composer.youngMegabytes);
/** Node collects late where the bound is what the machine has: the process then holds twice of what it uses, and is no faster. */
const MANY_WAITING = `${youngGeneration(RUN_FACTS.evm.youngMegabytes)} --max-old-space-size=1024`;

interface Parts {
  readonly needs: readonly Builtin[];
  /** By setting, without the prefix. */
  readonly listeners: Readonly<Record<string, string | Omit<Listener, 'setting'>>>;
  readonly nodeFlags: string;
  readonly hasStore?: false;
  readonly isOptional?: true;
  /** Which of them answers whether the service is ready; the first one, unless stated. */
  readonly ready?: string;
  readonly readyPath?: string;
}

function service(name: Builtin, prefix: string, parts: Parts): BuiltinService {
  const { needs, nodeFlags, hasStore = true, readyPath = '/readyz' } = parts;
  const [first = ''] = Object.keys(parts.listeners);
  const listeners = Object.entries(parts.listeners).map(([setting, of]) => ({
    setting: prefix + setting,
    ...(typeof of === 'string' ? { use: of } : of),
  }));
  const unless = `${prefix}NO_METRICS`;
  return {
    entry: entry(name),
    listeners: [...listeners, { setting: `${prefix}METRICS_HTTP_LISTENER_ADDR`, use: 'metrics', metrics: { unless } }],
    ...(hasStore ? { store: `${prefix}DB_FILEPATH` } : {}),
    ...(parts.isOptional ? { enabled: `${prefix}ENABLED` } : {}),
    needs,
    ready: { setting: prefix + (parts.ready ?? first), path: readyPath },
    nodeFlags,
  };
}

/** In the order in which they are started; they stop in the reverse. */
export type Builtins = Readonly<Record<Builtin, BuiltinService>>;

export const BUILTINS: Builtins = {
  sequencer: service('sequencer', 'SVC_SEQUENCER_', {
    needs: [],
    listeners: {
      RPC_ADDR: { use: 'CometBFT RPC', engine: 'solo' },
      LISTEN_ADDR: { use: 'ABCI', engine: 'cometbft' },
      GRPC_ADDR: 'gRPC',
    },
    nodeFlags: MANY_BYTES,
    readyPath: '/health',
  }),
  composer: service('composer', 'SVC_COMPOSER_', {
    needs: ['sequencer'],
    listeners: { GRPC_ADDR: 'gRPC', API_LISTEN_ADDR: 'health' },
    ready: 'API_LISTEN_ADDR',
    nodeFlags: MANY_BYTES,
  }),
  messenger: service('messenger', '', {
    needs: ['composer'],
    listeners: { REST_ADDR: 'chat page and HTTP API', EXECUTION_GRPC_ADDR: 'execution gRPC' },
    nodeFlags: MANY_TEXTS,
  }),
  evm: service('evm', 'SVC_EVM_', {
    needs: ['composer'],
    listeners: {
      HTTP_ADDR: 'Ethereum JSON-RPC',
      WS_ADDR: 'Ethereum JSON-RPC, websocket',
      EXECUTION_GRPC_ADDR: 'execution gRPC',
    },
    nodeFlags: MANY_WAITING,
  }),
  da: service('da', 'SVC_DA_', {
    needs: [],
    listeners: { API_LISTEN_ADDR: 'data availability, JSON-RPC', GRPC_ADDR: 'data availability, gRPC' },
    nodeFlags: SMALL_HEAP,
  }),
  relayer: service('relayer', 'SVC_RELAYER_', {
    needs: ['sequencer', 'da'],
    listeners: { API_LISTEN_ADDR: 'health' },
    nodeFlags: MANY_BYTES,
  }),
  conductor: service('conductor', 'SVC_CONDUCTOR_', {
    needs: ['sequencer', 'da', 'messenger', 'evm'],
    listeners: { API_LISTEN_ADDR: 'health' },
    nodeFlags: SMALL_HEAP,
    hasStore: false,
  }),
  faucet: service('faucet', 'SVC_FAUCET_', {
    needs: ['sequencer', 'messenger', 'evm'],
    listeners: { LISTEN_ADDR: 'faucet page and HTTP API' },
    nodeFlags: SMALL_HEAP,
    isOptional: true,
  }),
  explorer: service('explorer', 'SVC_EXPLORER_', {
    needs: ['sequencer'],
    listeners: { LISTEN_ADDR: 'explorer page and HTTP API' },
    nodeFlags: SMALL_HEAP,
    readyPath: RUN_FACTS.explorer.readyPath,
    isOptional: true,
  }),
};

/** What an empty `local_path` of a service with this label stands for. */
export const BUILTIN_OF_LABEL: Readonly<Record<string, Builtin>> = {
  sequencer: 'sequencer',
  da: 'da',
  relayer: 'relayer',
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
  STANDALONE_ENTRY,
  BLOCK_LOG_ENTRY,
  EVM_STATE_ENTRY,
];
