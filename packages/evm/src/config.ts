import {
  bool,
  type ConfigOf,
  clientAuthFields,
  field,
  grpcUrl,
  listen,
  listenOrUnix,
  path,
  retentionFields,
  scrubField,
  serverAuthFields,
  standardFields,
  words,
} from '@switchyard/service/settings';
import { stockFields } from './geth/fields.ts';
import { queryFields } from './rpc/query-fields.ts';

/** Contracts ask for the hashes of 256 blocks, and proofs are given for 128. */
export const EVM_LEAST_BLOCKS = 512n;

/** The settings of an EVM rollup node. */
export const evmFields = {
  genesisFilepath: field('SVC_EVM_GENESIS_FILEPATH', path, {
    help: "genesis file of the rollup, in geth's format with a section for the rollup",
    fallback: 'evm_genesis.json',
  }),
  dbFilepath: field('SVC_EVM_DB_FILEPATH', path, {
    help: 'directory of the database; made if it is not there',
    fallback: '~/.switchyard/evm',
  }),
  composerAddr: field('SVC_EVM_COMPOSER_ADDR', grpcUrl, {
    help: 'gRPC endpoint of the composer that orders transactions sent here; unix:/path for a socket',
    fallback: 'http://127.0.0.1:50052',
  }),
  executionGrpcAddr: field('SVC_EVM_EXECUTION_GRPC_ADDR', listenOrUnix, {
    help: 'where the conductor finds the Execution API; unix:/path for a socket that only this user can use',
    fallback: '127.0.0.1:50055',
  }),
  wsAddr: field('SVC_EVM_WS_ADDR', listen, {
    help: 'where JSON-RPC answers too, for clients that have an address of its own for WebSocket',
    fallback: '127.0.0.1:8546',
  }),
  ...queryFields('SVC_EVM_', '127.0.0.1:8545'),
  devAccounts: field('SVC_EVM_DEV_ACCOUNTS', bool, {
    help: 'for development only: signs for any client with the published keys of anvil and Hardhat; refused unless all is on this machine',
    fallback: 'false',
  }),
  safe: field('SVC_EVM_SAFE', words('soft', 'firm'), {
    help: 'meaning of the block tag `safe`; `latest` is soft and `finalized` firm',
    fallback: 'soft',
  }),
  backend: field('SVC_EVM_BACKEND', words('embedded', 'stock'), {
    help: 'back end that executes blocks: this process, or a stock geth next to it',
    fallback: 'embedded',
  }),
  ...retentionFields('SVC_EVM_', EVM_LEAST_BLOCKS),
  ...stockFields,
  scrubBytesPerSecond: scrubField('SVC_EVM_'),
  ...serverAuthFields('execution', 'SVC_EVM_EXECUTION_', ['local', 'secret']),
  ...clientAuthFields('composer', 'SVC_EVM_COMPOSER_', 'the composer'),
  ...standardFields('SVC_EVM_', '127.0.0.1:9004'),
};

export type EvmConfig = ConfigOf<typeof evmFields>;
