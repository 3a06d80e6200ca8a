import { type ConfigOf, type Env, field, integer, listen, loadConfig, path, standardFields } from '@switchyard/service';
import { MEMPOOL_DEFAULTS } from './mempool/mempool.ts';

const PREFIX = 'SVC_SEQUENCER_';

/** Everything the sequencer can be told. The printed reference is made from this table. */
export const fields = {
  grpcAddr: field(`${PREFIX}GRPC_ADDR`, listen, { help: 'where the gRPC services answer', fallback: '127.0.0.1:8080' }),
  rpcAddr: field(`${PREFIX}RPC_ADDR`, listen, { help: 'where the CometBFT RPC answers', fallback: '127.0.0.1:26657' }),
  dbFilepath: field(`${PREFIX}DB_FILEPATH`, path, { help: 'directory of the database, made if it does not exist' }),
  genesisFilepath: field(`${PREFIX}GENESIS_FILEPATH`, path, { help: 'CometBFT genesis file of the chain' }),
  privValidatorKeyFile: field(`${PREFIX}PRIV_VALIDATOR_KEY_FILE`, path, {
    help: 'CometBFT key file of the validator that signs the blocks',
  }),
  blockIntervalMs: field(`${PREFIX}BLOCK_INTERVAL_MS`, integer({ min: 10, max: 60_000 }), {
    help: 'least time between two blocks; a transaction that finds none younger is in a block at once',
    fallback: '1000',
  }),
  emptyBlockIntervalMs: field(`${PREFIX}EMPTY_BLOCK_INTERVAL_MS`, integer({ min: 10, max: 3_600_000 }), {
    help: 'time after which an empty block is made when nothing waits',
    fallback: '2000',
  }),
  mempoolParkedMaxTxCount: field(`${PREFIX}MEMPOOL_PARKED_MAX_TX_COUNT`, integer({ min: 0, max: 1_000_000 }), {
    help: 'transactions that may wait for a missing nonce or for money, over all accounts',
    fallback: String(MEMPOOL_DEFAULTS.maxParked),
  }),
  mempoolMaxBytes: field(`${PREFIX}MEMPOOL_MAX_BYTES`, integer({ min: 65_536, max: 4_294_967_296 }), {
    help: 'bytes of all transactions that wait; more are refused',
    fallback: String(MEMPOOL_DEFAULTS.maxBytes),
  }),
  ...standardFields(PREFIX, '127.0.0.1:9000'),
};

export type SequencerConfig = ConfigOf<typeof fields>;

/** @throws {InvalidConfig} naming every missing or malformed variable at once. */
export function sequencerConfig(env: Env): SequencerConfig {
  return loadConfig(fields, env);
}
