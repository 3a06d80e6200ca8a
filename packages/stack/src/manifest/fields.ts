import { fields as composer } from '@switchyard/composer/config';
import { fields as conductor } from '@switchyard/conductor/config';
import { fields as faucet } from '@switchyard/faucet/config';
import { parseAnyAddress, parseDenom } from '@switchyard/protocol/values';
import { parser } from '@switchyard/service/settings';
import { fields as withdrawer } from '@switchyard/withdrawer/config';
import { MAX_ROLLUP_NAME } from '../names.ts';
import { VERSION } from '../version.ts';
import { genesisAccounts } from './accounts.ts';
import { field, type ManifestField, only, optionalField, type TextOf, type ValuesOf } from './field.ts';
import { ownGenesis } from './genesis.ts';
import { ROLLUP_KINDS } from './kind.ts';
import { decimal, flag, pattern, type Rule, scalar, small, url, word } from './rule.ts';

const LABEL = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';

const rollupName = pattern(
  `1 to ${MAX_ROLLUP_NAME} lower-case letters, digits and hyphens, no hyphen at either end`,
  'cosmic',
  LABEL,
  MAX_ROLLUP_NAME,
);

const SUBDOMAIN = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$';

const label = (example: string) => pattern('1 to 63 lower-case letters, digits and inner dashes', example, LABEL, 63);
const objectName = (example: string) =>
  pattern('1 to 253 lower-case letters, digits, inner dashes and dots', example, SUBDOMAIN, 253);
const chainName = (example: string) => pattern('1 to 50 of A-Z a-z 0-9 _ . -', example, '^[A-Za-z0-9_.-]{1,50}$');

const networkId = decimal('a number from 1 to 2^64 - 1', '90210', 1n, (1n << 64n) - 1n);

const minimum = decimal('a number from 1 to 2^64 - 1', '1000000', 1n, (1n << 64n) - 1n);

const forkTime = decimal('a time in seconds, from 0 to 2^53 - 1', '0', 0n, (1n << 53n) - 1n);

/** Block 1 of the rollup names the block before this one. Heights have 32 bits in a genesis. */
const MIN_HEIGHT = 2n;
const startHeight = decimal('a height from 2 to 2^32 - 1', '2', MIN_HEIGHT, (1n << 32n) - 1n);

const bridgeAddress: Rule<string> = scalar(
  parser('an address in bech32m form', 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm', (text) => {
    parseAnyAddress(text);
    return text;
  }),
  { type: 'string', pattern: '^[a-z][a-z0-9]{0,29}1[02-9ac-hj-np-z]{38}$' },
);

const asset: Rule<string> = scalar(
  parser(
    'an asset such as nria, transfer/channel-0/utia or ibc/<64 hex digits>',
    'nria',
    (text) => parseDenom(text).text,
  ),
  { type: 'string', maxLength: 200 },
);

const actionName = pattern('the name of an action', 'transfer', '^[A-Za-z]\\w{0,63}$');

/** Coins, by the rule of the faucet that reads them. */
const coins = pattern(
  'a number of coins above 0, at most 18 digits after the point',
  '0.5',
  '^(?=.*[1-9])\\d{1,30}(\\.\\d{1,18})?$',
);

const image = pattern(
  'a reference of an image, such as localhost/switchyard:0.1.0 or host/name@sha256:<64 hex digits>',
  'localhost/switchyard:0.1.0',
  '^[a-z0-9]([\\w./:-]*[A-Za-z0-9_])?(@sha256:[0-9a-f]{64})?$',
  500,
);

/** Colons would end the variable by which celestia-node gets them. */
const multiaddresses = pattern(
  'multiaddresses that end with /p2p/ and an id, without colons, separated by commas',
  '/dns4/bridge.example.com/tcp/2121/p2p/12D3KooWPHgLgPTtPjuKtZjXbZRiUSVMvFpqek8T1we93auG3uoK',
  '^/[A-Za-z0-9./_-]+/p2p/[A-Za-z0-9]{40,80}(,/[A-Za-z0-9./_-]+/p2p/[A-Za-z0-9]{40,80})*$',
  4_000,
);

const celestiaAccounts = pattern(
  'addresses of Celestia, separated by commas',
  'celestia1e0dp5sk98u6ks8dey4zdhrp3p8tka65u8yppet',
  '^celestia1[02-9ac-hj-np-z]{38}(,celestia1[02-9ac-hj-np-z]{38}){0,19}$',
);

const filePath = pattern(
  'a path of at most 1000 printable characters',
  'bin/market.mjs',
  '^[^\\u0000-\\u001f\\u007f]{1,1000}$',
);

const blockHash = pattern(
  '64 hex digits',
  '6BE39EFD10BA412A9DB5288488303F5DD32CF386707A5BEF33617F4C43301872',
  '^[0-9A-Fa-f]{64}$',
);

const cpu = pattern('processor time such as 0.25 or 250m', '250m', '^(\\d{1,3}(\\.\\d{1,3})?|\\d{1,6}m)$');
const bytes = pattern('bytes such as 256Mi or 5Gi', '5Gi', '^[1-9]\\d{0,11}(Ki|Mi|Gi|Ti)?$');

const getWebsocket = (toText: TextOf) =>
  toText('config.sequencer.rpc')?.replace(/^http/, 'ws').replace(/\/*$/, '/websocket');

/** The convention of public networks, whose endpoints have names of their own; else the usual port of a node. */
function findGrpc(toText: TextOf): string | undefined {
  const rpc = toText('config.sequencer.rpc');
  if (rpc === undefined || !URL.canParse(rpc)) return undefined;
  const { protocol, hostname, host } = new URL(rpc);
  if (hostname.startsWith('rpc.')) return `${protocol}//grpc.${host.slice('rpc.'.length)}`;
  return `${protocol}//${hostname}:8080`;
}

const find = (path: string, shown: string, make = (text: string) => text) => ({
  shown,
  from: (toText: TextOf) => {
    const text = toText(path);
    return text === undefined ? undefined : make(text);
  },
});

const getFallback = ({ fallback = '' }: { readonly fallback: string | undefined }) => fallback;

/** Requests of a workload; its memory is its limit too. */
function resources<W extends string>(workload: W, cpuText: string, memory: string) {
  const entries = {
    [`${workload}Cpu`]: field(`resources.${workload}.cpu`, cpu, {
      help: `processor time that the ${workload} container requests`,
      fallback: cpuText,
    }),
    [`${workload}Memory`]: field(`resources.${workload}.memory`, bytes, {
      help: `memory that the ${workload} container requests, and the most that it gets`,
      fallback: memory,
    }),
  };
  // Made key by key as the type states; the compiler does not follow computed keys.
  return entries as { readonly [K in `${W}Cpu` | `${W}Memory`]: ReturnType<typeof field<string>> };
}

/**
 * Everything that a manifest has. Reading, validation, the JSON Schema, `config show` and the documentation are made from
 * this table; a derived default may use the fields above it.
 */
export const manifestFields = {
  namespace: field('global.namespace', label('switchyard'), {
    help: 'Kubernetes namespace of all objects; several rollups may share it',
    fallback: 'switchyard',
    flag: 'namespace',
    isAlwaysWritten: true,
  }),
  useTTY: field('global.useTTY', flag, {
    help: 'log lines for people instead of JSON',
    fallback: 'false',
    flag: 'use-tty',
    isAlwaysWritten: true,
  }),
  logLevel: field('global.logLevel', word('off', 'error', 'warn', 'info', 'debug', 'trace'), {
    help: 'log level of the processes',
    fallback: 'debug',
    flag: 'log-level',
    isAlwaysWritten: true,
  }),
  name: field('config.rollup.name', rollupName, {
    help: 'name of the rollup, in host names and names of objects',
    flag: 'rollup.name',
  }),
  chainId: field('config.rollup.chainId', chainName('cosmic-chain'), {
    help: 'name of the rollup on the sequencer, if its id is the SHA-256 of this text',
    derived: find('config.rollup.name', '`<name>-chain`', (name) => `${name}-chain`),
    flag: 'rollup.chain-id',
    isAlwaysWritten: true,
  }),
  kind: field('config.rollup.kind', word(...ROLLUP_KINDS), {
    help: 'kind of the rollup: an EVM rollup, or one of your own, made with @switchyard/rollup (defined)',
    fallback: 'evm',
    flag: 'rollup.kind',
  }),
  ...only('defined', {
    rollupImage: optionalField('config.rollup.image', image, {
      help: 'image with your program as its entry point, for containers; else the messenger of `image` runs',
      flag: 'rollup.image',
    }),
    program: optionalField('config.rollup.program', filePath, {
      help: 'your program, for --target local: a file that Node runs, seen from the directory of the manifest; else the messenger runs',
      flag: 'rollup.program',
    }),
    genesis: field('config.rollup.genesis', ownGenesis, {
      help: 'genesis of the rollup, which names its bridge accounts too; `config create --rollup.genesis-file` takes it from a file',
      fallback: '{}',
    }),
  }),
  ...only('evm', {
    networkId: field('config.rollup.networkId', networkId, {
      help: 'chain id for wallets (EIP-155)',
      fallback: '1337',
      flag: 'rollup.network-id',
      isAlwaysWritten: true,
    }),
    genesisAccounts: field('config.rollup.genesisAccounts', genesisAccounts, {
      help: 'accounts that have coins in the first block',
      flag: 'rollup.genesis-accounts',
      otherwise: [],
    }),
    pragueTime: optionalField('config.rollup.pragueTime', forkTime, {
      help: 'time from which blocks have the rules of Prague; 0 for a chain that begins with them, which new manifests have',
    }),
    osakaTime: optionalField('config.rollup.osakaTime', forkTime, {
      help: 'time from which the rules of Osaka hold',
    }),
    amsterdamTime: optionalField('config.rollup.amsterdamTime', forkTime, {
      help: 'time from which the rules of Amsterdam hold',
    }),
  }),
  executionCommitLevel: field('config.rollup.executionCommitLevel', word('SoftIsFirm', 'SoftOnly', 'SoftAndFirm'), {
    help: 'condition for a block to be firm: the signatures of the validators (SoftIsFirm), nothing (SoftOnly), or that it was read through the data-availability node (SoftAndFirm), for which a relayer has to post the blocks of the sequencer',
    fallback: getFallback(conductor.executionCommitLevel),
    flag: 'rollup.execution-commit-level',
  }),
  ...only('evm', {
    bridgeAddress: optionalField('config.rollup.bridgeAddress', bridgeAddress, {
      help: 'bridge account on the sequencer whose deposits the rollup credits',
      flag: 'rollup.bridge-address',
    }),
    bridgeAsset: field('config.rollup.bridgeAsset', asset, {
      help: 'asset of that account, which becomes the native coin of the rollup',
      fallback: 'nria',
      flag: 'rollup.bridge-allowed-asset-denom',
    }),
    bridgePrecision: field('config.rollup.bridgePrecision', small(0, 18), {
      help: 'digits after the point that a coin of this asset has on the sequencer',
      fallback: '9',
    }),
    bridgeMinimum: field('config.rollup.bridgeMinimum', minimum, {
      help: 'fewest of the smallest units of the asset in one withdrawal, which has to be more than the fee of its payment on the sequencer; 1000 in new manifests',
      fallback: '1',
    }),
    bridgeWithdrawer: field('config.rollup.bridgeWithdrawer', flag, {
      help: 'whether the first block has the contract that takes coins back to the bridge account, as in new manifests',
      fallback: 'false',
    }),
  }),
  sequencerHeight: field('config.sequencer.initialBlockHeight', startHeight, {
    help: 'sequencer block that block 1 of the rollup is made from',
    flag: 'sequencer.initial-block-height',
  }),
  sequencerRpc: field('config.sequencer.rpc', url('http', 'https'), {
    help: 'CometBFT RPC of a sequencer node',
    fallback: getFallback(conductor.sequencerCometbftUrl),
    flag: 'sequencer.rpc',
    isAlwaysWritten: true,
  }),
  sequencerWebsocket: field('config.sequencer.websocket', url('ws', 'wss'), {
    help: 'WebSocket of the same node, for programs of the reference; ours use RPC and gRPC',
    derived: { shown: '/websocket at `config.sequencer.rpc`', from: getWebsocket },
    flag: 'sequencer.websocket',
    isAlwaysWritten: true,
  }),
  sequencerGrpc: field('config.sequencer.grpc', url('http', 'https'), {
    help: 'gRPC of the same node',
    derived: { shown: '`config.sequencer.rpc` with the host rpc.… as grpc.…, else on port 8080', from: findGrpc },
    flag: 'sequencer.grpc',
  }),
  sequencerChainId: optionalField('config.sequencer.chainId', chainName('sequencer-test-chain-0'), {
    help: 'chain id of the sequencer; a deployment needs it',
    flag: 'sequencer.chain-id',
  }),
  sequencerAddressPrefix: field(
    'config.sequencer.addressPrefix',
    pattern('1 to 20 lower-case letters and digits, the first one a letter', 'astria', '^[a-z][a-z0-9]{0,19}$'),
    { help: composer.sequencerAddressPrefix.help, fallback: getFallback(composer.sequencerAddressPrefix) },
  ),
  feeAsset: field('config.composer.feeAsset', asset, {
    help: composer.feeAsset.help,
    fallback: getFallback(composer.feeAsset),
  }),
  maxBytesPerBundle: field('config.composer.maxBytesPerBundle', small(1_000, 16_777_216), {
    help: composer.maxBytesPerBundle.help,
    fallback: getFallback(composer.maxBytesPerBundle),
  }),
  withdrawerEnabled: field('withdrawer.enabled', flag, {
    help: 'whether a process of the deployment pays withdrawals out of the bridge account, with the key that `rollup deployment create` is given with --withdrawer-private-key-file',
    fallback: 'false',
    flag: 'withdrawer.enabled',
  }),
  withdrawerCommitment: field('withdrawer.commitment', word('firm', 'soft'), {
    help: withdrawer.commitment.help,
    fallback: getFallback(withdrawer.commitment),
  }),
  faucetEnabled: field('faucet.enabled', flag, {
    help: 'whether there is a faucet, with the key that `rollup deployment create` is given with --faucet-private-key-file',
    derived: {
      shown: '`true` for an EVM rollup, else `false`',
      from: (toText) => String(toText('config.rollup.kind') === 'evm'),
    },
  }),
  faucetAmount: field('faucet.amount', coins, { help: faucet.amount.help, fallback: getFallback(faucet.amount) }),
  faucetMinutes: field('faucet.minutes', small(0, 525_600), { help: faucet.minutes.help, fallback: '60' }),
  ...only('defined', {
    faucetAsset: field('faucet.asset', asset, { help: faucet.asset.help, fallback: getFallback(faucet.asset) }),
    faucetAction: field('faucet.action', actionName, {
      help: faucet.action.help,
      fallback: getFallback(faucet.action),
    }),
  }),
  explorer: field('explorer.kind', word('switchyard', 'blockscout'), {
    help: 'which block explorer there is',
    fallback: 'switchyard',
  }),
  explorerPostgresSecret: optionalField('explorer.postgresSecret', objectName('explorer-postgres'), {
    help: "name of a Secret whose key `url` holds the postgres:// address of the explorer's index; else it is on a volume",
  }),
  ingressHostname: field('ingress.hostname', objectName('localhost'), {
    help: 'domain of all host names',
    fallback: 'localhost',
    flag: 'hostname',
    isAlwaysWritten: true,
  }),
  ingressClassName: optionalField('ingress.className', objectName('traefik'), {
    help: 'class of the Ingress objects; else the default class of the cluster',
  }),
  ingressNamespace: optionalField('ingress.namespace', objectName('ingress-nginx'), {
    help: 'namespace of the ingress controller, whose pods alone reach the ports of the host names; else kube-system, or that of `cluster deploy-ingress-controller`',
  }),
  ingressTlsSecret: optionalField('ingress.tlsSecret', objectName('cosmic-tls'), {
    help: 'name of a Secret with the certificate of all host names; URLs then begin with https',
  }),
  labelPrefix: field(
    'da-node.config.labelPrefix',
    { ...rollupName, example: 'cosmic' },
    {
      help: 'prefix of the names of the data-availability node',
      derived: find('config.rollup.name', 'the name of the rollup'),
      isAlwaysWritten: true,
    },
  ),
  daKind: field('da-node.kind', word('light', 'external', 'local'), {
    help: 'the data-availability node that firm blocks are read from: a light node in the cluster (light), a node that runs elsewhere (external), or, on one machine and for development only, the local layer with a relayer of its own (local)',
    fallback: 'light',
    flag: 'da-node.kind',
  }),
  daUrl: optionalField('da-node.url', url('http', 'https'), {
    help: 'JSON-RPC of a data-availability node that runs elsewhere',
    flag: 'da-node.url',
  }),
  daHasToken: field('da-node.hasToken', flag, {
    help: 'whether that node asks for a token, which `rollup deployment create` is given with --da-token-file',
    fallback: 'false',
  }),
  daNetwork: optionalField('da-node.config.network', chainName('mocha-5'), {
    help: 'network of the data-availability node: known to celestia-node (celestia, mocha-5, arabica-11), or the chain id of another one; else there is no light node',
    flag: 'da-node.network',
  }),
  daGenesisHash: optionalField('da-node.config.genesisHash', blockHash, {
    help: 'hash of block 1 of a private network',
  }),
  daBridges: optionalField('da-node.config.bridges', multiaddresses, {
    help: 'bridge nodes of a private network that are queried first, separated by commas',
  }),
  daSyncFromHash: optionalField('da-node.config.syncFromHash', blockHash, {
    help: 'hash of the header that the node trusts and begins at; else it begins about 7 days ago',
  }),
  daSyncFromHeight: optionalField(
    'da-node.config.syncFromHeight',
    decimal('a height from 1 to 2^63 - 1', '1', 1n, (1n << 63n) - 1n),
    { help: 'height that the node begins at, if no hash is set' },
  ),
  daTrustedHeight: optionalField(
    'da-node.config.trustedHeight',
    decimal('a height from 1 to 2^53 - 1', '1', 1n, (1n << 53n) - 1n),
    {
      help: 'height of a block of the network that is known to be right, which the conductor begins at with SoftAndFirm',
    },
  ),
  daTrustedHash: optionalField('da-node.config.trustedHash', blockHash, {
    help: 'hash of that block; of a private network without both it is block 1',
  }),
  daAuthors: optionalField('da-node.config.authors', celestiaAccounts, {
    help: 'accounts of the relayers whose blobs alone the conductor reads; else it reads those of everybody',
  }),
  daRelayer: optionalField('da-node.relayer', url('http', 'https'), {
    help: 'HTTP address of the relayer of the sequencer, from which the explorer has the heights of the layer; the local layer of a deployment has one of its own',
    flag: 'da-node.relayer',
  }),
  daMaxHeadAge: field('da-node.config.maxHeadAge', small(5, 86_400), {
    help: 'seconds after which the newest header is too old for the node to be ready',
    fallback: '60',
  }),
  daImage: field('da-node.image', image, {
    help: 'image of the data-availability node, as scripts/celestia.mjs makes it',
    derived: {
      shown: '`localhost/switchyard-da-light:<version>`, with the version of the command line',
      from: () => `localhost/switchyard-da-light:${VERSION}`,
    },
  }),
  daStorageSize: field('da-node.storageSize', bytes, {
    help: 'size of the volume of the data-availability node',
    fallback: '10Gi',
  }),
  storageSize: field('storage.size', bytes, {
    help: 'size of the volumes of the node and of the explorer',
    fallback: '5Gi',
  }),
  storageClassName: optionalField('storage.className', objectName('local-path'), {
    help: 'class of the volumes; else the default class of the cluster',
  }),
  image: field('image', image, {
    help: 'image of all processes',
    derived: {
      shown: '`localhost/switchyard:<version>`, with the version of the command line',
      from: () => `localhost/switchyard:${VERSION}`,
    },
  }),
  ...only('evm', resources('evm', '300m', '512Mi')),
  ...only('defined', resources('rollup', '300m', '512Mi')),
  ...resources('composer', '100m', '192Mi'),
  ...resources('conductor', '100m', '192Mi'),
  ...resources('withdrawer', '50m', '160Mi'),
  ...resources('faucet', '50m', '160Mi'),
  ...resources('explorer', '200m', '320Mi'),
  daLightCpu: field('resources.da-light.cpu', cpu, {
    help: 'processor time that the data-availability node requests',
    fallback: '100m',
  }),
  daLightMemory: field('resources.da-light.memory', bytes, {
    help: 'memory that the data-availability node requests',
    fallback: '128Mi',
  }),
  daLightMemoryLimit: field('resources.da-light.memoryLimit', bytes, {
    help: 'the most memory that the data-availability node gets; it needs more than it requests while it reads large blobs',
    fallback: '512Mi',
  }),
};

/** A manifest, read and complete. Numbers of 64 bits and wider are `bigint`. */
export type Manifest = ValuesOf<typeof manifestFields>;

export type ManifestKey = keyof Manifest;

/** The table in its order. */
export const FIELDS = Object.entries(manifestFields) as readonly (readonly [ManifestKey, ManifestField<unknown>])[];
