import {
  allOr,
  type ConfigOf,
  field,
  integer,
  list,
  listen,
  listenOrUnix,
  parser,
  path,
  scrubField,
  standardFields,
} from '@switchyard/service/settings';
import { parseGasPrice } from './celestia/gas-price.ts';

const PREFIX = 'SVC_DA_';

/** An account of the genesis, as it stands in settings; the address is parsed at the beginning of the chain. */
export interface FundedAddress {
  readonly address: string;
  /** In utia. */
  readonly amount: bigint;
}

const fundedAddress = parser<FundedAddress>(
  'ADDRESS:AMOUNT with an address of Celestia and an amount of utia',
  'celestia1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnskuzt3:1000000000000',
  (value) => {
    const [, address = '', amount = ''] = /^(celestia1[02-9ac-hj-np-z]{38}):(\d{1,18})$/.exec(value) ?? [];
    return address === '' ? undefined : { address, amount: BigInt(amount) };
  },
);

const gasPrice = parser('a decimal number of utia', '0.004', parseGasPrice);

const chainId = parser('at most 50 letters, digits, - and _', 'local-da', (value) =>
  /^[A-Za-z0-9][\w-]{0,49}$/.test(value) ? value : undefined,
);

/** All settings of the local layer. The printed reference is generated from this table. */
export const fields = {
  apiListenAddr: field(`${PREFIX}API_LISTEN_ADDR`, listen, {
    help: 'where the JSON-RPC of a light node is, and /healthz, /readyz and /status',
    fallback: '127.0.0.1:26651',
  }),
  grpcAddr: field(`${PREFIX}GRPC_ADDR`, listenOrUnix, {
    help: 'where the gRPC of a consensus node is; unix:/path for a socket that only this user can use',
    fallback: '127.0.0.1:26652',
  }),
  dbFilepath: field(`${PREFIX}DB_FILEPATH`, path, {
    help: 'directory of the blocks and of the key that signs them, made if it does not exist',
  }),
  chainId: field(`${PREFIX}CHAIN_ID`, chainId, {
    help: 'chain id, which stays what it was at the first start',
    fallback: 'local-da',
  }),
  blockIntervalMs: field(`${PREFIX}BLOCK_INTERVAL_MS`, integer({ min: 10, max: 60_000 }), {
    help: 'time from one block to the next while there are transactions',
    fallback: '1000',
  }),
  emptyBlockIntervalMs: field(`${PREFIX}EMPTY_BLOCK_INTERVAL_MS`, integer({ min: 10, max: 3_600_000 }), {
    help: 'time from one block to an empty one',
    fallback: '1000',
  }),
  retainBlocks: field(`${PREFIX}RETAIN_BLOCKS`, allOr({ min: 100, max: 1_000_000_000 }), {
    help: 'newest blocks that are kept, besides the first one, or all. A reader that is further behind finds no firm blocks any more',
    fallback: 'all',
  }),
  genesisAccounts: field(`${PREFIX}GENESIS_ACCOUNTS`, list(fundedAddress), {
    help: 'accounts that can pay for blobs, ADDRESS:UTIA, separated by commas; at the first start only. There are no others, and no transfers',
    fallback: '',
  }),
  minimumGasPrice: field(`${PREFIX}MINIMUM_GAS_PRICE`, gasPrice, {
    help: 'utia for a unit of gas below which no transaction is taken',
    fallback: '0.004',
  }),
  scrubBytesPerSecond: scrubField(PREFIX),
  ...standardFields(PREFIX, '127.0.0.1:26653'),
};

export type DaProcessConfig = ConfigOf<typeof fields>;
