import { numberOf, textOf, within, word } from '../api.ts';
import { formatBytes, formatCount } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { amounts, layerFact } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Title } from '../parts/layout.tsx';
import { List, Table } from '../parts/list.tsx';
import { When } from '../parts/when.tsx';
import type { Route } from '../route.ts';
import { BLOCK_ROLLUPS, TRANSACTIONS } from './columns.ts';

export function Block({ id, route }: { readonly id: string; readonly route: Route }) {
  const { turn, heads } = useLive();
  return (
    <Answer
      page="Block"
      path={`/blocks/${encodeURIComponent(id)}`}
      turn={turn}
      absent={<Absent title={`No block ${id}`}>The index has no such block. It may be yet to come.</Absent>}
      show={(block) => {
        const height = numberOf(block, 'height') ?? 0;
        const newest = numberOf(heads, 'height') ?? height;
        const absentees = block.at('absent').list().map(word);
        const rollups = block.at('rollups').list();
        return (
          <>
            <div className="head">
              <Title kind="Block">{formatCount(height)}</Title>
              <nav aria-label="Neighbours" className="neighbours">
                {height > 1 && <a href={`#/blocks/${height - 1}`}>← {formatCount(height - 1)}</a>}
                {height < newest && <a href={`#/blocks/${height + 1}`}>{formatCount(height + 1)} →</a>}
              </nav>
            </div>
            <FactList
              facts={[
                ['Hash', <Id key="hash" text={word(block.at('hash'))} isWhole />],
                ['Time', <When key="time" at={block.at('time')} both />],
                ['Proposer', <Id key="proposer" text={word(block.at('proposer'))} isWhole />],
                ['Size', formatBytes(numberOf(block, 'size') ?? 0)],
                [
                  'Transactions',
                  `${formatCount(textOf(block, 'transactions'))}${numberOf(block, 'failed') ? `, ${textOf(block, 'failed')} refused` : ''}`,
                ],
                ['Fees', amounts(block.at('fees'))],
                [
                  'Signed by',
                  block.at('commit').isPresent
                    ? `${textOf(block, 'commit', 'signed')} of ${textOf(block, 'commit', 'validators')} validators${round(word(within(block, 'commit', 'round')))}`
                    : 'known with the next block',
                ],
                layerFact(block),
                absentees.length === 0
                  ? undefined
                  : ['Did not sign', absentees.map((each) => <Id key={each} text={each} />)],
              ]}
            />
            {rollups.length > 0 && (
              <section className="card" aria-label="Rollups">
                <h2>Rollups</h2>
                <Table columns={BLOCK_ROLLUPS} rows={rollups} name="Rollups" />
              </section>
            )}
            <List
              title="Transactions"
              path={`/blocks/${height}/transactions`}
              columns={TRANSACTIONS.filter(([name]) => name !== 'Block' && name !== 'Time')}
              page={route}
              empty="This block is empty."
            />
          </>
        );
      }}
    />
  );
}

const round = (text: string): string => (text === '' || text === '0' ? '' : `, in round ${text}`);
