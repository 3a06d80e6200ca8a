import { DEFAULT_PREFIX, ETHER, InvalidAmount, parseAmount } from '@switchyard/protocol/values';
import {
  bool,
  type ConfigOf,
  field,
  httpUrl,
  InvalidConfig,
  integer,
  listen,
  optional,
  pagesField,
  path,
  scrubField,
  standardFields,
  text,
  words,
} from '@switchyard/service/settings';

export const PREFIX = 'SVC_FAUCET_';

/** The settings of the faucet. The printed reference is made from this table. */
export const fields = {
  enabled: field(`${PREFIX}ENABLED`, bool, {
    help: 'whether it is started; false where an instance should have none',
    fallback: 'true',
  }),
  kind: field(`${PREFIX}KIND`, words('evm', 'sequencer', 'messenger', 'rollup'), {
    help: 'chain that it pays on: an EVM rollup, the sequencer, or a rollup by schemas, of which the messenger is one',
    fallback: 'evm',
  }),
  listenAddr: field(`${PREFIX}LISTEN_ADDR`, listen, {
    help: 'where the page, the API, /healthz and /readyz answer',
    fallback: '127.0.0.1:3031',
  }),
  rpcUrl: field(`${PREFIX}RPC_URL`, httpUrl, {
    help: 'JSON-RPC of the EVM node (kind evm)',
    fallback: 'http://127.0.0.1:8545',
  }),
  sequencerAbciEndpoint: field(`${PREFIX}SEQUENCER_ABCI_ENDPOINT`, httpUrl, {
    help: 'CometBFT RPC of a sequencer node (kind sequencer)',
    fallback: 'http://127.0.0.1:26657',
  }),
  sequencerGrpcEndpoint: field(`${PREFIX}SEQUENCER_GRPC_ENDPOINT`, httpUrl, {
    help: 'gRPC of the same node',
    fallback: 'http://127.0.0.1:8080',
  }),
  rollupUrl: field(`${PREFIX}ROLLUP_URL`, httpUrl, {
    help: 'HTTP API of a rollup node (kinds rollup and messenger)',
    fallback: 'http://127.0.0.1:3030',
  }),
  action: field(`${PREFIX}ACTION`, text, {
    help: 'action of the rollup that pays: one address, one amount, and assets (kinds rollup and messenger)',
    fallback: 'transfer',
  }),
  sequencerAddressPrefix: field(`${PREFIX}SEQUENCER_ADDRESS_PREFIX`, text, {
    help: 'prefix of addresses on the sequencer',
    fallback: DEFAULT_PREFIX,
  }),
  chainId: field([`${PREFIX}CHAIN_ID`, `${PREFIX}SEQUENCER_CHAIN_ID`], optional(text), {
    help: 'chain that is expected at the node; any, if unset',
  }),
  asset: field(`${PREFIX}ASSET`, text, {
    help: 'asset to pay on the sequencer or a rollup by schemas, by its name there; fees are paid in it too',
    fallback: 'nria',
  }),
  symbol: field(`${PREFIX}SYMBOL`, optional(text), {
    help: 'symbol of a coin for people; if unset, ETH on an EVM rollup, RIA for nria, TIA for ntia or utia, else the name of the asset',
  }),
  precision: field(`${PREFIX}PRECISION`, optional(integer({ min: 0, max: 30 })), {
    help: 'digits after the point that a coin has; if unset, 18 on an EVM rollup, 9 for names like nria, 6 for names like utia, else 0',
  }),
  privateKeyPassphraseFile: field(`${PREFIX}PRIVATE_KEY_PASSPHRASE_FILE`, optional(path), {
    help: 'file of mode 600 with the passphrase, if the key is encrypted (`switchyard keys`)',
  }),
  privateKeyFile: field(`${PREFIX}PRIVATE_KEY_FILE`, path, {
    help: 'file with the key of the account that pays, 64 hexadecimal digits or encrypted',
  }),
  allowDevKey: field(`${PREFIX}ALLOW_DEV_KEY`, bool, {
    help: 'use a public test key even if the node is not a local one',
    fallback: 'false',
  }),
  amount: field(`${PREFIX}AMOUNT`, text, {
    help: 'amount per claim, in coins, such as 0.5',
    fallback: '1',
  }),
  minutes: field(`${PREFIX}MINUTES`, integer({ min: 0, max: 525_600 }), {
    help: 'how long an address waits for its next claim; 0: not at all',
    fallback: '0',
  }),
  clientClaims: field(`${PREFIX}CLIENT_CLAIMS`, integer({ min: 1, max: 100_000 }), {
    help: 'claims that one client may make in that time, for any addresses',
    fallback: '5',
  }),
  queueCap: field(`${PREFIX}QUEUE_CAP`, integer({ min: 1, max: 10_000 }), {
    help: 'claims that may wait to be paid; more are refused',
    fallback: '100',
  }),
  explorerUrl: field(`${PREFIX}EXPLORER_URL`, optional(httpUrl), {
    help: 'page of an explorer, as browsers reach it; the page links transactions there',
  }),
  walletRpcUrl: field(`${PREFIX}WALLET_RPC_URL`, optional(httpUrl), {
    help: 'JSON-RPC as browsers reach it; the page offers to add the network to wallets with it (kind evm)',
  }),
  name: field(`${PREFIX}NAME`, optional(text), {
    help: 'name of the network on the page; if unset, that of the rollup or the chain id',
  }),
  pages: pagesField,
  dbFilepath: field(`${PREFIX}DB_FILEPATH`, path, {
    help: 'directory of the claims, made if it does not exist',
  }),
  scrubBytesPerSecond: scrubField(PREFIX),
  ...standardFields(PREFIX, '127.0.0.1:9006'),
};

export type FaucetConfig = ConfigOf<typeof fields>;

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
    throw new InvalidConfig({
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
