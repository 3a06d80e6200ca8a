import type { SessionParameters } from '@switchyard/protocol';
import { type BlockMaker, StagingExecutor } from '../chain/staging.ts';
import type { ChainStore } from '../chain/store.ts';
import type { Database } from '../database/database.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import type { Senders } from '../senders/senders.ts';
import type { SealedState } from '../state/sealed.ts';
import type { StateStore } from '../state/store.ts';
import { buildBlock } from './build-block.ts';

export interface EmbeddedDeps {
  readonly genesis: EvmGenesis;
  readonly database: Database;
  readonly state: StateStore;
  readonly chain: ChainStore;
  readonly senders: Senders;
  /** False has everything interpreted; the blocks are the same. For tests. */
  readonly direct?: boolean;
  /** Accounts with code of their own may send (against EIP-3607), on a chain for tests. */
  readonly codeMaySend?: boolean;
}

/** The chain whose blocks are executed in this process. */
export class EmbeddedExecutor extends StagingExecutor<SealedState> {
  constructor(deps: EmbeddedDeps) {
    const { genesis, database, chain } = deps;
    super({ parameters: sessionParameters(genesis), database, chain, maker: embeddedMaker(deps) });
  }
}

function embeddedMaker({
  genesis,
  state,
  senders,
  direct = true,
  codeMaySend = false,
}: EmbeddedDeps): BlockMaker<SealedState> {
  return {
    async make(parent, input, below) {
      const overlay = state.overlay(below);
      let made: SealedState | undefined;
      const stateRoot = () => {
        made = state.seal(overlay);
        return made.root;
      };
      const block = await buildBlock(parent, input, {
        genesis,
        senders,
        state: overlay,
        stateRoot,
        direct,
        maySend: () => codeMaySend,
      });
      if (made === undefined) throw new Error('a block was built without its state root');
      return { block, made };
    },
    write: (writer, number, made) => state.write(writer, number, made),
  };
}

/** Block n is made from sequencer height startHeight + n - 1. */
export function sessionParameters({ rollup, sequencer, celestia }: EvmGenesis): SessionParameters {
  return {
    rollup,
    rollupStartNumber: 1n,
    rollupEndNumber: undefined,
    sequencerChainId: sequencer.chainId,
    sequencerStartHeight: sequencer.startHeight,
    celestiaChainId: celestia.chainId,
    celestiaSearchHeightMaxLookAhead: celestia.searchHeightMaxLookAhead,
  };
}
