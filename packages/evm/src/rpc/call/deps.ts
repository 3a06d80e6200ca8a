import type { ChainReader } from '../../chain/chain.ts';
import type { Pool } from '../../pool/pool.ts';
import type { EvmSimulator } from '../../simulate/evm-simulator.ts';

export interface CallDeps {
  readonly chain: ChainReader;
  readonly pool: Pick<Pool, 'nextNonce'>;
  readonly simulator: EvmSimulator;
}
