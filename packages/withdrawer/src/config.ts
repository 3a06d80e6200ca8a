import { type AccountId, DEFAULT_PREFIX, parseAddress, parseDenom } from '@switchyard/protocol/values';
import {
  bool,
  type ConfigOf,
  field,
  httpUrl,
  integer,
  listen,
  optional,
  parser,
  path,
  scrubField,
  standardFields,
  text,
  words,
} from '@switchyard/service/settings';

const PREFIX = 'SVC_WITHDRAWER_';
/** Settings of the original withdrawer are read too; `ASTRIA_` may stand for `SVC_`. */
const OLD = 'SVC_BRIDGE_WITHDRAWER_';
const names = (own: string, old = own) => [`${PREFIX}${own}`, `${OLD}${old}`] as const;

export interface Bridge {
  readonly account: AccountId;
  readonly address: string;
}

const bridge = parser<Bridge>(
  'the bech32m address of a bridge account',
  'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk',
  (address) => ({
    account: parseAddress(address),
    address,
  }),
);

const contract = parser<`0x${string}`>(
  'an address of 20 bytes',
  '0xA58639fB5458e65E4fA917FF951C390292C24A15',
  (value) => (/^0x[0-9a-f]{40}$/i.test(value) ? (value.toLowerCase() as `0x${string}`) : undefined),
);

/** All settings of the withdrawer. */
export const fields = {
  enabled: field(`${PREFIX}ENABLED`, bool, {
    help: 'whether it is started; false where an instance should have none',
    fallback: 'true',
  }),
  kind: field(`${PREFIX}KIND`, words('evm', 'framework'), {
    help: 'kind of the rollup: an EVM rollup, or one of the framework such as the messenger',
    fallback: 'framework',
  }),
  rollupUrl: field(names('ROLLUP_URL', 'ETHEREUM_RPC_ENDPOINT'), httpUrl, {
    help: 'HTTP API of a node of the rollup; of an EVM rollup its JSON-RPC',
    fallback: 'http://127.0.0.1:3030',
  }),
  contract: field(names('CONTRACT', 'ETHEREUM_CONTRACT_ADDRESS'), contract, {
    help: 'contract whose events are withdrawals (kind evm)',
    fallback: '0xa58639fb5458e65e4fa917ff951c390292c24a15',
  }),
  commitment: field(`${PREFIX}COMMITMENT`, words('firm', 'soft'), {
    help: 'blocks whose withdrawals are paid: final ones, or all that are executed, which is for local networks',
    fallback: 'firm',
  }),
  bridgeAddress: field(names('BRIDGE_ADDRESS', 'SEQUENCER_BRIDGE_ADDRESS'), optional(bridge), {
    help: 'bridge account that pays; if unset, the account of the key, which is its own withdrawer unless another was named',
  }),
  sequencerAbciEndpoint: field(names('SEQUENCER_ABCI_ENDPOINT', 'SEQUENCER_COMETBFT_ENDPOINT'), httpUrl, {
    help: 'CometBFT RPC of a sequencer node',
    fallback: 'http://127.0.0.1:26657',
  }),
  sequencerGrpcEndpoint: field(names('SEQUENCER_GRPC_ENDPOINT'), httpUrl, {
    help: 'gRPC of the same node',
    fallback: 'http://127.0.0.1:8080',
  }),
  sequencerChainId: field(names('SEQUENCER_CHAIN_ID'), text, { help: 'chain of the sequencer' }),
  sequencerAddressPrefix: field(names('SEQUENCER_ADDRESS_PREFIX'), text, {
    help: 'prefix of addresses on the sequencer',
    fallback: DEFAULT_PREFIX,
  }),
  feeAsset: field(
    names('FEE_ASSET', 'FEE_ASSET_DENOMINATION'),
    optional(parser('the name of an asset', 'nria', parseDenom)),
    { help: "asset that the withdrawer's account pays fees in; the bridge account's own, if unset" },
  ),
  privateKeyFile: field(names('PRIVATE_KEY_FILE', 'SEQUENCER_KEY_PATH'), path, {
    help: "file with the key of the bridge account's withdrawer, 64 hexadecimal digits or encrypted",
  }),
  privateKeyPassphraseFile: field(`${PREFIX}PRIVATE_KEY_PASSPHRASE_FILE`, optional(path), {
    help: 'file of mode 600 with the passphrase, if the key is encrypted (`switchyard keys`)',
  }),
  allowDevKey: field(`${PREFIX}ALLOW_DEV_KEY`, bool, {
    help: 'use a public test key, or a key that can also change the bridge account, even if the sequencer is not a local one',
    fallback: 'false',
  }),
  pollMs: field(`${PREFIX}POLL_MS`, integer({ min: 10, max: 3_600_000 }), {
    help: 'pause between looks at the rollup',
    fallback: '500',
  }),
  apiListenAddr: field(names('API_LISTEN_ADDR', 'API_ADDR'), listen, {
    help: 'where /status, /v1/withdrawals, /healthz and /readyz answer',
    fallback: '127.0.0.1:2451',
  }),
  dbFilepath: field(`${PREFIX}DB_FILEPATH`, path, {
    help: 'directory of the ledger, made if it does not exist',
  }),
  scrubBytesPerSecond: scrubField(PREFIX),
  ...standardFields(PREFIX, '127.0.0.1:9020'),
};

export type WithdrawerConfig = ConfigOf<typeof fields>;
