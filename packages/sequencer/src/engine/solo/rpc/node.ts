import type { Signer } from '@switchyard/protocol';
import type { Clock } from '@switchyard/service';
import type { Application, PoolView } from '../../../app/types.ts';
import type { EngineLog } from '../../engine.ts';
import type { Chain } from '../chain.ts';

/** Parts of the node that the methods of the RPC are answered from. */
export interface Node {
  readonly chain: Chain;
  readonly app: Application;
  readonly pool: PoolView;
  /** The validator's. */
  readonly signer: Pick<Signer, 'publicKey' | 'account'>;
  readonly clock: Clock;
  readonly log: EngineLog;
}
