import { type Refusal, rollups } from '@switchyard/explorer/contract';
import { FactList } from '../../ui/facts.tsx';
import { formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { type Columns, Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { Answer } from '../parts/answer.tsx';
import { finalityFact, Id, Link, layerFact, link, rollupFact, text } from '../parts/cells.tsx';
import { Absent, Card, Title } from '../parts/layout.tsx';
import type { PageProps } from '../route.ts';

const REFUSALS: Columns<Refusal> = [
  ['Transaction', link('./transactions', 'hash')],
  ['Position', text('position'), 'number'],
  ['Code', text('code'), 'number'],
  ['Reason', text('reason'), 'words'],
];

/** A block of a rollup of the framework. */
export function RollupBlock({ rollup, id: number }: PageProps) {
  return (
    <Answer
      page="Rollup block"
      route={rollups.getRollupBlock}
      params={{ rollup, number }}
      absent={<Absent title={`No block ${shown(number)}`}>The index has no such block of this rollup.</Absent>}
      show={(block) => (
        <>
          <Title kind="Rollup block">{formatCount(block.number)}</Title>
          <FactList
            facts={[
              rollupFact(rollup),
              ['Hash', <Id key="hash" text={block.hash} isWhole />],
              ['Time', <When key="time" at={block.time} both />],
              ['Seen here', <When key="seen" at={block.seen} both />],
              ['Sequencer block', <Link key="sequencer" kind="blocks" id={block.sequencerHeight} />],
              finalityFact(block),
              layerFact(block),
              ['Executed', formatCount(block.executed)],
              ['Refused', formatCount(block.refused)],
              ['Deposits credited', formatCount(block.deposits)],
              ['Deposits refused', formatCount(block.skippedDeposits)],
            ]}
          />
          {block.refusals.length > 0 && (
            <Card
              title="Refused"
              note={block.refusals.length < block.refused && `(the first ${block.refusals.length})`}
            >
              <Table columns={REFUSALS} rows={block.refusals} name="Refused transactions" />
            </Card>
          )}
        </>
      )}
    />
  );
}
