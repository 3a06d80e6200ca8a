import { formatAddress } from '@switchyard/protocol';
import { firmLayerHeight } from '@switchyard/rollup/execution';
import type { ChainReader } from '../chain/chain.ts';
import type { ChainStore } from '../chain/store.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import type { RunningPool } from '../pool/deps.ts';
import { findTime, forkAt, PLANNED_FORKS } from '../rules/forks.ts';

/** Facts for people and for tools that watch the node. */
export function nodeStatus(
  genesis: EvmGenesis,
  chain: ChainReader & Pick<ChainStore, 'lowest' | 'commitments' | 'toDeposits'>,
  pool: Pick<RunningPool, 'counts' | 'trouble'>,
): object {
  const { latest, safe, finalized } = chain.heads;
  const { sequencer } = genesis;
  const { sent, held } = pool.counts;
  return {
    rollup: genesis.rollupName,
    rollupId: genesis.rollup,
    chainId: genesis.chainId,
    sequencerChainId: sequencer.chainId,
    sequencerStartHeight: sequencer.startHeight,
    sequencerHeight: sequencer.startHeight + latest - 1n,
    soft: blockFacts(chain, latest),
    firm: blockFacts(chain, finalized),
    deposits: genesis.bridges.map(({ account, asset }) => {
      const { deposited, refused } = chain.toDeposits(account);
      const bridge = formatAddress(account, sequencer.addressPrefix);
      return { bridge, asset, deposited: String(deposited), refused: String(refused) };
    }),
    firmMeaning: chain.commitments.firmMeaning,
    firmLayerHeight: firmLayerHeight(chain.commitments.firmMeaning, chain.commitments.lowestCelestiaSearchHeight),
    safe,
    lowestBlock: chain.lowest,
    fork: forkAt(genesis.forks, chain.header(latest)?.header.timestamp ?? 0n),
    forks: Object.fromEntries(PLANNED_FORKS.map((name) => [name, findTime(genesis.forks, name)])),
    composer: pool.trouble === undefined ? 'connected' : 'unreachable',
    pending: sent,
    held,
  };
}

function blockFacts(chain: ChainReader, number: bigint): object {
  const found = chain.header(number);
  return { number, hash: found?.hash, timestamp: found?.header.timestamp };
}
