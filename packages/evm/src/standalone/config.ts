import {
  bool,
  type ConfigOf,
  field,
  integer,
  listen,
  optional,
  path,
  standardFields,
  unsigned,
  words,
} from '@switchyard/service/settings';
import { queryFields } from '../rpc/query-fields.ts';

/** The settings of a node that makes its own blocks, for tests. */
export const standaloneFields = {
  httpAddr: field('SVC_EVM_STANDALONE_HTTP_ADDR', listen, {
    help: 'where JSON-RPC answers over HTTP and WebSocket, and /healthz, /readyz and /status',
    fallback: '127.0.0.1:8545',
  }),
  chainId: field('SVC_EVM_STANDALONE_CHAIN_ID', unsigned(64, { min: 1n }), {
    help: 'chain id',
    fallback: '31337',
  }),
  accounts: field('SVC_EVM_STANDALONE_ACCOUNTS', integer({ min: 0, max: 10 }), {
    help: 'how many of the published accounts of anvil and Hardhat have funds and are signed for',
    fallback: '10',
  }),
  blockTime: field('SVC_EVM_STANDALONE_BLOCK_TIME', integer({ min: 0, max: 86_400 }), {
    help: 'seconds between blocks; 0 makes one for each transaction',
    fallback: '0',
  }),
  stateDir: field('SVC_EVM_STANDALONE_STATE_DIR', optional(path), {
    help: 'directory of the chain; if unset, it is in memory and gone with the process',
  }),
  predeploys: field('SVC_EVM_STANDALONE_PREDEPLOYS', bool, {
    help: 'whether Multicall3, Permit2 and the EntryPoints of EIP-4337 are in the first block',
    fallback: 'true',
  }),
  hardfork: field('SVC_EVM_STANDALONE_HARDFORK', words('cancun', 'prague', 'osaka'), {
    help: 'the rules of every block of a new chain',
    fallback: 'osaka',
  }),
  ...queryFields('SVC_EVM_STANDALONE_'),
  ...standardFields('SVC_EVM_STANDALONE_', '127.0.0.1:9008'),
};

export type StandaloneConfig = ConfigOf<typeof standaloneFields>;
