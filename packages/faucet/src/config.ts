import { DEFAULT_PREFIX, ETHER, InvalidAmount, parseAmount } from '@switchyard/protocol/values';
import * as setting from '@switchyard/service/settings';

export const PREFIX = 'SVC_FAUCET_';

/** The settings of the faucet. The printed reference is made from this table. */
export const fields = {
  enabled: setting.field(`${PREFIX}ENABLED`, setting.bool, {
    help: 'whether it is started; false where an instance should have none',
    fallback: 'true',
  }),
  kind: setting.field(`${PREFIX}KIND`, setting.words('evm', 'sequencer', 'messenger', 'rollup'), {
    help: 'chain that it pays on: an EVM rollup, the sequencer, or a rollup by schemas, of which the messenger is one',
    fallback: 'evm',
  }),
  listenAddr: setting.field(`${PREFIX}LISTEN_ADDR`, setting.listen, {
    help: 'where the page, the API, /healthz and /readyz answer',
    fallback: '127.0.0.1:3031',
  }),
  rpcUrl: setting.field(`${PREFIX}RPC_URL`, setting.httpUrl, {
    help: 'JSON-RPC of the EVM node (kind evm)',
    fallback: 'http://127.0.0.1:8545',
  }),
  sequencerAbciEndpoint: setting.field(`${PREFIX}SEQUENCER_ABCI_ENDPOINT`, setting.httpUrl, {
    help: 'CometBFT RPC of a sequencer node (kind sequencer)',
    fallback: 'http://127.0.0.1:26657',
  }),
  sequencerGrpcEndpoint: setting.field(`${PREFIX}SEQUENCER_GRPC_ENDPOINT`, setting.httpUrl, {
    help: 'gRPC of the same node',
    fallback: 'http://127.0.0.1:8080',
  }),
  rollupUrl: setting.field(`${PREFIX}ROLLUP_URL`, setting.httpUrl, {
    help: 'HTTP API of a rollup node (kinds rollup and messenger)',
    fallback: 'http://127.0.0.1:3030',
  }),
  action: setting.field(`${PREFIX}ACTION`, setting.text, {
    help: 'action of the rollup that pays: one address, one amount, and assets (kinds rollup and messenger)',
    fallback: 'transfer',
  }),
  sequencerAddressPrefix: setting.field(`${PREFIX}SEQUENCER_ADDRESS_PREFIX`, setting.text, {
    help: 'prefix of addresses on the sequencer',
    fallback: DEFAULT_PREFIX,
  }),
  chainId: setting.field([`${PREFIX}CHAIN_ID`, `${PREFIX}SEQUENCER_CHAIN_ID`], setting.optional(setting.text), {
    help: 'chain that is expected at the node; any, if unset',
  }),
  asset: setting.field(`${PREFIX}ASSET`, setting.text, {
    help: 'asset to pay on the sequencer or a rollup by schemas, by its name there; fees are paid in it too',
    fallback: 'nria',
  }),
  symbol: setting.field(`${PREFIX}SYMBOL`, setting.optional(setting.text), {
    help: 'symbol of a coin for people; if unset, ETH on an EVM rollup, RIA for nria, TIA for ntia or utia, else the name of the asset',
  }),
  precision: setting.field(`${PREFIX}PRECISION`, setting.optional(setting.integer({ min: 0, max: 30 })), {
    help: 'digits after the point that a coin has; if unset, 18 on an EVM rollup, 9 for names like nria, 6 for names like utia, else 0',
  }),
  privateKeyPassphraseFile: setting.field(`${PREFIX}PRIVATE_KEY_PASSPHRASE_FILE`, setting.optional(setting.path), {
    help: 'file of mode 600 with the passphrase, if the key is encrypted (`switchyard keys`)',
  }),
  privateKeyFile: setting.field(`${PREFIX}PRIVATE_KEY_FILE`, setting.path, {
    help: 'file with the key of the account that pays, 64 hexadecimal digits or encrypted',
  }),
  allowDevKey: setting.field(`${PREFIX}ALLOW_DEV_KEY`, setting.bool, {
    help: 'use a public test key even if the node is not a local one',
    fallback: 'false',
  }),
  amount: setting.field(`${PREFIX}AMOUNT`, setting.text, {
    help: 'amount per claim, in coins, such as 0.5',
    fallback: '1',
  }),
  minutes: setting.field(`${PREFIX}MINUTES`, setting.integer({ min: 0, max: 525_600 }), {
    help: 'how long an address waits for its next claim; 0: not at all',
    fallback: '0',
  }),
  clientClaims: setting.field(`${PREFIX}CLIENT_CLAIMS`, setting.integer({ min: 1, max: 100_000 }), {
    help: 'claims that one client may make in that time, for any addresses',
    fallback: '5',
  }),
  queueCap: setting.field(`${PREFIX}QUEUE_CAP`, setting.integer({ min: 1, max: 10_000 }), {
    help: 'claims that may wait to be paid; more are refused',
    fallback: '100',
  }),
  explorerUrl: setting.field(`${PREFIX}EXPLORER_URL`, setting.optional(setting.httpUrl), {
    help: 'page of an explorer, as browsers reach it; the page links transactions there',
  }),
  walletRpcUrl: setting.field(`${PREFIX}WALLET_RPC_URL`, setting.optional(setting.httpUrl), {
    help: 'JSON-RPC as browsers reach it; the page offers to add the network to wallets with it (kind evm)',
  }),
  name: setting.field(`${PREFIX}NAME`, setting.optional(setting.text), {
    help: 'name of the network on the page; if unset, that of the rollup or the chain id',
  }),
  pages: setting.pagesField,
  dbFilepath: setting.field(`${PREFIX}DB_FILEPATH`, setting.path, {
    help: 'directory of the claims, made if it does not exist',
  }),
  scrubBytesPerSecond: setting.scrubField(PREFIX),
  ...setting.standardFields(PREFIX, '127.0.0.1:9006'),
};

export type FaucetConfig = setting.ConfigOf<typeof fields>;

/** The asset of payments, and how it is written. */
export interface Coin {
  readonly symbol: string;
  /** Digits after the point. */
  readonly precision: number;
  /** Amount per claim, in the smallest unit. */
  readonly amount: bigint;
}

/** @throws {InvalidConfig} if the amount is no number of coins. */
export function getCoin({ kind, asset, symbol, precision, amount }: FaucetConfig): Coin {
  const known = kind === 'evm' ? { ...ETHER, precision: ETHER.decimals } : sequencerCoin(asset);
  const digits = precision ?? known.precision;
  try {
    return { symbol: symbol ?? known.symbol, precision: digits, amount: parseAmount(amount, digits) };
  } catch (error) {
    if (!(error instanceof InvalidAmount)) throw error;
    const variable = fields.amount.names[0];
    throw new setting.InvalidConfig({
      variable,
      expected: error.expected,
      got: JSON.stringify(amount),
      advice: `correct it, for example ${variable}=1`,
    });
  }
}

function sequencerCoin(asset: string): { readonly symbol: string; readonly precision: number } {
  // Names of base units begin with the name of their fraction: nria is a billionth of a RIA, utia a millionth of a TIA.
  const [, part, coin] = /^([nu])([a-z]{3,12})$/.exec(asset) ?? [];
  if (part === undefined || coin === undefined) return { symbol: asset, precision: 0 };
  return { symbol: coin.toUpperCase(), precision: part === 'n' ? 9 : 6 };
}
