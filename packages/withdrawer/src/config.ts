import { type AccountId, DEFAULT_PREFIX, parseAddress, parseDenom } from '@switchyard/protocol/values';
import * as setting from '@switchyard/service/settings';

const PREFIX = 'SVC_WITHDRAWER_';
/** Settings of the original withdrawer are read too; `ASTRIA_` may stand for `SVC_`. */
const OLD = 'SVC_BRIDGE_WITHDRAWER_';
const names = (own: string, old = own) => [`${PREFIX}${own}`, `${OLD}${old}`] as const;

export interface Bridge {
  readonly account: AccountId;
  readonly address: string;
}

const bridge = setting.parser<Bridge>(
  'the bech32m address of a bridge account',
  'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk',
  (address) => ({
    account: parseAddress(address),
    address,
  }),
);

const contract = setting.parser<`0x${string}`>(
  'an address of 20 bytes',
  '0xA58639fB5458e65E4fA917FF951C390292C24A15',
  (value) => (/^0x[0-9a-f]{40}$/i.test(value) ? (value.toLowerCase() as `0x${string}`) : undefined),
);

/** All settings of the withdrawer. */
export const fields = {
  enabled: setting.field(`${PREFIX}ENABLED`, setting.bool, {
    help: 'whether it is started; false where an instance should have none',
    fallback: 'true',
  }),
  kind: setting.field(`${PREFIX}KIND`, setting.words('evm', 'framework'), {
    help: 'kind of the rollup: an EVM rollup, or one of the framework such as the messenger',
    fallback: 'framework',
  }),
  rollupUrl: setting.field(names('ROLLUP_URL', 'ETHEREUM_RPC_ENDPOINT'), setting.httpUrl, {
    help: 'HTTP API of a node of the rollup; of an EVM rollup its JSON-RPC',
    fallback: 'http://127.0.0.1:3030',
  }),
  contract: setting.field(names('CONTRACT', 'ETHEREUM_CONTRACT_ADDRESS'), contract, {
    help: 'contract whose events are withdrawals (kind evm)',
    fallback: '0xa58639fb5458e65e4fa917ff951c390292c24a15',
  }),
  commitment: setting.field(`${PREFIX}COMMITMENT`, setting.words('firm', 'soft'), {
    help: 'blocks whose withdrawals are paid: final ones, or all that are executed, which is for local networks',
    fallback: 'firm',
  }),
  bridgeAddress: setting.field(names('BRIDGE_ADDRESS', 'SEQUENCER_BRIDGE_ADDRESS'), setting.optional(bridge), {
    help: 'bridge account that pays; if unset, the account of the key, which is its own withdrawer unless another was named',
  }),
  sequencerAbciEndpoint: setting.field(
    names('SEQUENCER_ABCI_ENDPOINT', 'SEQUENCER_COMETBFT_ENDPOINT'),
    setting.httpUrl,
    {
      help: 'CometBFT RPC of a sequencer node',
      fallback: 'http://127.0.0.1:26657',
    },
  ),
  sequencerGrpcEndpoint: setting.field(names('SEQUENCER_GRPC_ENDPOINT'), setting.httpUrl, {
    help: 'gRPC of the same node',
    fallback: 'http://127.0.0.1:8080',
  }),
  sequencerChainId: setting.field(names('SEQUENCER_CHAIN_ID'), setting.text, { help: 'chain of the sequencer' }),
  sequencerAddressPrefix: setting.field(names('SEQUENCER_ADDRESS_PREFIX'), setting.text, {
    help: 'prefix of addresses on the sequencer',
    fallback: DEFAULT_PREFIX,
  }),
  feeAsset: setting.field(
    names('FEE_ASSET', 'FEE_ASSET_DENOMINATION'),
    setting.optional(setting.parser('the name of an asset', 'nria', parseDenom)),
    { help: "asset that the withdrawer's account pays fees in; the bridge account's own, if unset" },
  ),
  privateKeyFile: setting.field(names('PRIVATE_KEY_FILE', 'SEQUENCER_KEY_PATH'), setting.path, {
    help: "file with the key of the bridge account's withdrawer, 64 hexadecimal digits or encrypted",
  }),
  privateKeyPassphraseFile: setting.field(`${PREFIX}PRIVATE_KEY_PASSPHRASE_FILE`, setting.optional(setting.path), {
    help: 'file of mode 600 with the passphrase, if the key is encrypted (`switchyard keys`)',
  }),
  allowDevKey: setting.field(`${PREFIX}ALLOW_DEV_KEY`, setting.bool, {
    help: 'use a public test key, or a key that can also change the bridge account, even if the sequencer is not a local one',
    fallback: 'false',
  }),
  pollMs: setting.field(`${PREFIX}POLL_MS`, setting.integer({ min: 10, max: 3_600_000 }), {
    help: 'pause between looks at the rollup',
    fallback: '500',
  }),
  apiListenAddr: setting.field(names('API_LISTEN_ADDR', 'API_ADDR'), setting.listen, {
    help: 'where /status, /v1/withdrawals, /healthz and /readyz answer',
    fallback: '127.0.0.1:2451',
  }),
  dbFilepath: setting.field(`${PREFIX}DB_FILEPATH`, setting.path, {
    help: 'directory of the ledger, made if it does not exist',
  }),
  scrubBytesPerSecond: setting.scrubField(PREFIX),
  ...setting.standardFields(PREFIX, '127.0.0.1:9020'),
};

export type WithdrawerConfig = setting.ConfigOf<typeof fields>;
