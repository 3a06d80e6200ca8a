import { sequencer } from '@switchyard/explorer/contract';
import { FactList } from '../../ui/facts.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { toList } from '../api.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { amounts, Id, layerFact } from '../parts/cells.tsx';
import { Absent, BlockTitle, Card } from '../parts/layout.tsx';
import { blockTransactions } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { BLOCK_ROLLUPS, TRANSACTIONS } from './columns.tsx';

export function Block({ id, route }: PageProps) {
  const { heads } = useLive();
  return (
    <Answer
      page="Block"
      route={sequencer.getBlock}
      params={{ block: id }}
      absent={<Absent title={`No block ${id}`}>The index has no such block. It may be yet to come.</Absent>}
      show={({ height, failed, commit, absent, rollups, ...block }) => (
        <>
          <BlockTitle kind="Block" base="/blocks" number={height} hasNext={height < (heads?.height ?? height)} />
          <FactList
            facts={[
              ['Hash', <Id key="hash" text={block.hash} isWhole />],
              ['Time', <When key="time" at={block.time} both />],
              ['Proposer', <Id key="proposer" text={block.proposer} isWhole />],
              ['Size', formatBytes(block.size)],
              ['Transactions', `${formatCount(block.transactions)}${failed === 0 ? '' : `, ${failed} refused`}`],
              ['Fees', amounts(block.fees)],
              [
                'Signed by',
                commit === null
                  ? 'known with the next block'
                  : `${commit.signed} of ${commit.validators ?? ''} validators${commit.round ? `, in round ${commit.round}` : ''}`,
              ],
              layerFact(block),
              absent.length === 0 ? undefined : ['Did not sign', absent.map((each) => <Id key={each} text={each} />)],
            ]}
          />
          {rollups.length > 0 && (
            <Card title="Rollups">
              <Table columns={BLOCK_ROLLUPS} rows={rollups} name="Rollups" />
            </Card>
          )}
          {blockTransactions(toList(sequencer.listBlockTransactions, { height }), TRANSACTIONS, route)}
        </>
      )}
    />
  );
}
