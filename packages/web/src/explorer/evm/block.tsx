import { numberOf, textOf, word } from '../api.ts';
import { formatBytes, formatCount } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { finalityFact, layerFact, link } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Title } from '../parts/layout.tsx';
import { List } from '../parts/list.tsx';
import { When } from '../parts/when.tsx';
import type { Route } from '../route.ts';
import { shown } from '../shown.ts';
import { gasPrice } from './cells.tsx';
import { transactionColumns } from './columns.tsx';

export function EvmBlock({ base, id, route }: { readonly base: string; readonly id: string; readonly route: Route }) {
  const { turn } = useLive();
  return (
    <Answer
      page="EVM block"
      path={`${base}/blocks/${encodeURIComponent(id)}`}
      turn={turn}
      absent={
        <Absent title={`No block ${shown(id)}`}>
          The index has no such block of this rollup. It may be yet to come.
        </Absent>
      }
      show={(block) => {
        const number = numberOf(block, 'number') ?? 0;
        const [used, limit] = [numberOf(block, 'gasUsed') ?? 0, numberOf(block, 'gasLimit') ?? 1];
        return (
          <>
            <div className="head">
              <Title kind="EVM block">{formatCount(number)}</Title>
              <nav aria-label="Neighbours" className="neighbours">
                {number > 1 && <a href={`#${base}/blocks/${number - 1}`}>← {formatCount(number - 1)}</a>}
                <a href={`#${base}/blocks/${number + 1}`}>{formatCount(number + 1)} →</a>
              </nav>
            </div>
            <FactList
              facts={[
                ['Hash', <Id key="hash" text={word(block.at('hash'))} isWhole />],
                [
                  'Parent',
                  <Id
                    key="parent"
                    text={word(block.at('parentHash'))}
                    to={`${base}/blocks/${word(block.at('parentHash'))}`}
                    isWhole
                  />,
                ],
                ['Time', <When key="time" at={block.at('time')} both />],
                ['Transactions', formatCount(textOf(block, 'transactions'))],
                ['Gas', `${formatCount(used)} of ${formatCount(limit)} (${((100 * used) / limit).toFixed(2)} %)`],
                ['Base fee', gasPrice(textOf(block, 'baseFee'))],
                ['Size', formatBytes(numberOf(block, 'size') ?? 0)],
                ['Deposits', formatCount(textOf(block, 'deposits'))],
                ['Sequencer block', link('blocks', 'sequencerHeight')(block)],
                finalityFact(block),
                layerFact(block),
              ]}
            />
            <List
              title="Transactions"
              path={`${base}/blocks/${number}/transactions`}
              columns={transactionColumns(base).filter(([name]) => name !== 'Block' && name !== 'Time')}
              page={route}
              empty="This block is empty."
            />
          </>
        );
      }}
    />
  );
}
