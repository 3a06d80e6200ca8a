import { numberOf, textOf, word } from '../api.ts';
import { formatCount } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { finalityFact, layerFact, link, text } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Title } from '../parts/layout.tsx';
import { type Columns, Table } from '../parts/list.tsx';
import { When } from '../parts/when.tsx';
import { shown } from '../shown.ts';

/** A block of a rollup of the framework. */
export function RollupBlock({ rollup, number }: { readonly rollup: string; readonly number: string }) {
  const { turn } = useLive();
  const base = `/rollups/${encodeURIComponent(rollup)}`;
  const refusals: Columns = [
    ['Transaction', link(`${base.slice(1)}/transactions`, 'hash')],
    ['Position', text('position'), 'number'],
    ['Code', text('code'), 'number'],
    ['Reason', text('reason')],
  ];
  return (
    <Answer
      page="Rollup block"
      path={`${base}/blocks/${encodeURIComponent(number)}`}
      turn={turn}
      absent={<Absent title={`No block ${shown(number)}`}>The index has no such block of this rollup.</Absent>}
      show={(block) => {
        const refused = block.at('refusals').list();
        return (
          <>
            <Title kind="Rollup block">{formatCount(textOf(block, 'number'))}</Title>
            <FactList
              facts={[
                [
                  'Rollup',
                  <a key="rollup" href={`#${base}`}>
                    {shown(rollup.length > 20 ? `${rollup.slice(0, 10)}…` : rollup)}
                  </a>,
                ],
                ['Hash', <Id key="hash" text={word(block.at('hash'))} isWhole />],
                ['Time', <When key="time" at={block.at('time')} both />],
                ['Seen here', <When key="seen" at={block.at('seen')} both />],
                ['Sequencer block', link('blocks', 'sequencerHeight')(block)],
                finalityFact(block),
                layerFact(block),
                ['Executed', formatCount(textOf(block, 'executed'))],
                ['Refused', formatCount(textOf(block, 'refused'))],
                ['Deposits credited', formatCount(textOf(block, 'deposits'))],
                ['Deposits refused', formatCount(textOf(block, 'skippedDeposits'))],
              ]}
            />
            {refused.length > 0 && (
              <section className="card" aria-label="Refused transactions">
                <h2>
                  Refused{' '}
                  {refused.length < (numberOf(block, 'refused') ?? 0) && (
                    <span className="quiet">(the first {refused.length})</span>
                  )}
                </h2>
                <Table columns={refusals} rows={refused} name="Refused transactions" />
              </section>
            )}
          </>
        );
      }}
    />
  );
}
