import { evm } from '@switchyard/explorer/contract';
import { FactList } from '../../ui/facts.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { toList } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { finalityFact, Id, Link, layerFact } from '../parts/cells.tsx';
import { Absent, BlockTitle } from '../parts/layout.tsx';
import { blockTransactions } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { gasPrice } from './amounts.ts';
import { evmBase, TRANSACTIONS } from './columns.tsx';

export function EvmBlock({ rollup, id, route }: PageProps) {
  return (
    <Answer
      page="EVM block"
      route={evm.getEvmBlock}
      params={{ rollup, block: id }}
      absent={
        <Absent title={`No block ${shown(id)}`}>
          The index has no such block of this rollup. It may be yet to come.
        </Absent>
      }
      show={({ number, gasUsed, gasLimit, parentHash, ...block }) => (
        <>
          <BlockTitle kind="EVM block" base={`${evmBase(rollup)}/blocks`} number={number} hasNext />
          <FactList
            facts={[
              ['Hash', <Id key="hash" text={block.hash} isWhole />],
              ['Parent', <Id key="parent" text={parentHash} to={`./evm/blocks/${parentHash}`} isWhole />],
              ['Time', <When key="time" at={block.time} both />],
              ['Transactions', formatCount(block.transactions)],
              [
                'Gas',
                `${formatCount(gasUsed)} of ${formatCount(gasLimit)} (${((100 * gasUsed) / gasLimit).toFixed(2)} %)`,
              ],
              ['Base fee', gasPrice(block.baseFee)],
              ['Size', formatBytes(block.size)],
              ['Deposits', formatCount(block.deposits)],
              ['Sequencer block', <Link key="sequencer" kind="blocks" id={block.sequencerHeight} />],
              finalityFact(block),
              layerFact(block),
            ]}
          />
          {blockTransactions(toList(evm.listEvmBlockTransactions, { rollup, block: number }), TRANSACTIONS, route)}
        </>
      )}
    />
  );
}
