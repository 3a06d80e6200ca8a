import {
  bool,
  type ConfigOf,
  field,
  integer,
  optional,
  path,
  secret,
  standardFields,
  unsigned,
  words,
} from '@switchyard/service/settings';
import { DEV_MNEMONIC } from '../genesis/development-accounts.ts';
import { queryFields } from '../rpc/query-fields.ts';
import { mnemonic } from './mnemonic.ts';

/** The settings of a node that makes its own blocks, for tests. */
export const standaloneFields = {
  chainId: field('SVC_EVM_STANDALONE_CHAIN_ID', unsigned(64, { min: 1n }), {
    help: 'chain id',
    fallback: '31337',
  }),
  mnemonic: field('SVC_EVM_STANDALONE_MNEMONIC', secret(mnemonic), {
    help: "words from which the accounts are derived, at m/44'/60'/0'/0; the default are those of anvil and Hardhat",
    fallback: DEV_MNEMONIC,
  }),
  accounts: field('SVC_EVM_STANDALONE_ACCOUNTS', integer({ min: 0, max: 1_000 }), {
    help: 'how many accounts have funds and are signed for',
    fallback: '10',
  }),
  balance: field('SVC_EVM_STANDALONE_BALANCE', unsigned(64), {
    help: 'ether of each account in a new chain',
    fallback: '10000',
  }),
  timestamp: field('SVC_EVM_STANDALONE_TIMESTAMP', optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })), {
    help: 'time of the first block of a new chain in seconds since 1970, from which its clock runs; if unset, now',
  }),
  blockTime: field('SVC_EVM_STANDALONE_BLOCK_TIME', integer({ min: 0, max: 86_400 }), {
    help: 'seconds between blocks; 0 makes one for each transaction',
    fallback: '0',
  }),
  mixedMining: field('SVC_EVM_STANDALONE_MIXED_MINING', bool, {
    help: 'a block for each transaction, besides those of the block time',
    fallback: 'false',
  }),
  noMining: field('SVC_EVM_STANDALONE_NO_MINING', bool, {
    help: 'only blocks on request, by evm_mine and the like',
    fallback: 'false',
  }),
  autoImpersonate: field('SVC_EVM_STANDALONE_AUTO_IMPERSONATE', bool, {
    help: 'whether eth_sendTransaction sends for every account',
    fallback: 'false',
  }),
  codeSizeLimit: field('SVC_EVM_STANDALONE_CODE_SIZE_LIMIT', optional(integer({ min: 1, max: 131_072 })), {
    help: 'bytes of code that a contract may have, and twice as many of init code; if unset, 24576 (EIP-170). A transaction has 131072 bytes at most',
  }),
  stateFile: field('SVC_EVM_STANDALONE_STATE_FILE', optional(path), {
    help: "file in anvil's format of --dump-state, whose accounts are loaded if it is there, and which is written at the end",
  }),
  stateDir: field('SVC_EVM_STANDALONE_STATE_DIR', optional(path), {
    help: 'directory of the chain; if unset, it is in memory and gone with the process',
  }),
  predeploys: field('SVC_EVM_STANDALONE_PREDEPLOYS', bool, {
    help: 'whether Multicall3, Permit2 and the EntryPoints of EIP-4337 are in the first block',
    fallback: 'true',
  }),
  hardfork: field('SVC_EVM_STANDALONE_HARDFORK', words('cancun', 'prague', 'osaka', 'amsterdam'), {
    help: 'the rules of every block of a new chain',
    fallback: 'osaka',
  }),
  ...queryFields('SVC_EVM_STANDALONE_', '127.0.0.1:8545'),
  ...standardFields('SVC_EVM_STANDALONE_', '127.0.0.1:9008'),
};

export type StandaloneConfig = ConfigOf<typeof standaloneFields>;
