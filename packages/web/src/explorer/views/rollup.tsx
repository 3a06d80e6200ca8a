import type { Input } from '@switchyard/client/http-api';
import { lazy, Suspense } from 'react';
import { numberOf, textOf, within, word } from '../api.ts';
import { formatBytes, formatCount } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer, Loading } from '../parts/answer.tsx';
import { bytes, link, outcome, when } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, Badge, FactList, type Tab, Tabs, Title } from '../parts/layout.tsx';
import { type Columns, List } from '../parts/list.tsx';
import { When } from '../parts/when.tsx';
import type { Route } from '../route.ts';
import { DEPOSITS, MESSAGES, ROLLUP_BLOCKS, WITHDRAWALS } from './columns.ts';
import { RollupView } from './rollup-view.tsx';

/** Most networks are looked at for one kind of rollup. */
const EvmOverview = lazy(async () => ({ default: (await import('../evm/evm.tsx')).EvmOverview }));
const EvmList = lazy(async () => ({ default: (await import('../evm/evm.tsx')).EvmList }));

/** Lists that the pages of EVM rollups have in their own form. */
const EVM_PARTS: readonly Tab[] = [
  { name: 'Transactions', part: 'evm/transactions' },
  { name: 'Blocks', part: 'evm/blocks' },
  { name: 'Tokens', part: 'evm/tokens' },
  { name: 'Withdrawn', part: 'evm/withdrawals' },
];

interface Section {
  readonly part: string;
  readonly title: string;
  readonly columns: Columns;
  readonly empty: string;
  /** Whether only what follows its node can have it, and of that only a node that offers it. */
  readonly needs: 'sequencer' | 'node' | 'messages';
}

const sections = (base: string): readonly Section[] => [
  {
    part: 'messages',
    title: 'Messages',
    columns: MESSAGES(base),
    empty: 'Nothing was written yet.',
    needs: 'messages',
  },
  {
    part: 'transactions',
    title: 'Transactions',
    columns: [
      ['Hash', link(`${base.slice(1)}/transactions`, 'hash')],
      ['Time', when('sequencer', 'time')],
      ['Sequencer block', link('blocks', 'sequencer', 'height')],
      ['Size', bytes('size'), 'number'],
      ['Outcome', outcome],
    ],
    empty: 'None was sequenced yet.',
    needs: 'sequencer',
  },
  {
    part: 'deposits',
    title: 'Deposits',
    columns: DEPOSITS,
    empty: 'No deposit was made to this rollup yet.',
    needs: 'sequencer',
  },
  {
    part: 'withdrawals',
    title: 'Withdrawals',
    columns: WITHDRAWALS,
    empty: 'No withdrawal from this rollup was paid yet.',
    needs: 'sequencer',
  },
  { part: 'blocks', title: 'Blocks', columns: ROLLUP_BLOCKS(base), empty: 'None was executed yet.', needs: 'node' },
];

const SHOWN = 6;

/** @param id Id or name, as it is in the address. */
export function Rollup({ id, part, route }: { readonly id: string; readonly part: string; readonly route: Route }) {
  const { turn } = useLive();
  const base = `/rollups/${encodeURIComponent(id)}`;
  return (
    <Answer
      page="Rollup"
      path={base}
      turn={turn}
      absent={
        <Absent title="No such rollup">
          It has no data in the index, and no node of it is followed. By name only those that are followed are found.
        </Absent>
      }
      show={(rollup) => {
        const isFollowed = rollup.at('node').isPresent;
        const isEvm = word(rollup.at('kind')) === 'evm';
        const offers = within(rollup, 'offers');
        // A node that does not state what it offers is asked.
        const isOffered = !offers.isPresent || word(offers.at('messages')) === 'true';
        const all = sections(base).filter(
          ({ needs }) => needs === 'sequencer' || (isFollowed && !isEvm && (needs === 'node' || isOffered)),
        );
        const tabs: readonly Tab[] = [
          { name: 'Overview', part: '' },
          ...(isEvm ? EVM_PARTS : []),
          ...all.map(({ title, part: of }) => ({
            name: isEvm && of === 'transactions' ? 'Submissions' : title,
            part: of,
          })),
        ];
        const one = all.find((each) => each.part === part);
        return (
          <>
            <Title kind="Rollup">{textOf(rollup, 'name') || `${textOf(rollup, 'rollup').slice(0, 10)}…`}</Title>
            <Tabs base={base} tabs={tabs} current={part} label="About this rollup" />
            {isEvm && part.startsWith('evm/') ? (
              <Suspense fallback={<Loading lines={12} />}>
                <EvmList rollup={id} part={part.slice('evm/'.length)} route={route} />
              </Suspense>
            ) : one === undefined ? (
              <>
                <Overview rollup={rollup} />
                {isEvm && (
                  <Suspense fallback={<Loading lines={12} />}>
                    <EvmOverview rollup={id} />
                  </Suspense>
                )}
                {within(offers, 'views')
                  .list()
                  .map((view) => (
                    <RollupView key={word(view.at('name'))} base={base} view={view} turn={turn} />
                  ))}
                {all
                  .filter(({ part: of }) => !isEvm || of === 'deposits' || of === 'withdrawals')
                  .map(({ part: of, title, columns, empty, needs }) => (
                    <List
                      key={of}
                      title={title}
                      path={`${base}/${of}?limit=${SHOWN}`}
                      columns={columns}
                      empty={empty}
                      turn={turn}
                      all={`${base}/${of}`}
                      isOptional={needs === 'messages'}
                    />
                  ))}
              </>
            ) : (
              <List
                title={one.title}
                path={`${base}/${part}`}
                columns={one.columns}
                empty={one.empty}
                turn={turn}
                page={route}
              />
            )}
          </>
        );
      }}
    />
  );
}

function firmPlace(node: Input): readonly [string, string] | undefined {
  const height = textOf(node, 'firmLayerHeight');
  return height === '' ? undefined : ['Found on the layer at', `height ${formatCount(height)}`];
}

function Overview({ rollup }: { readonly rollup: Input }) {
  const problem = textOf(rollup, 'node', 'problem');
  const node = within(rollup, 'node');
  return (
    <FactList
      facts={[
        ['Id', <Id key="id" text={word(rollup.at('rollup'))} isWhole />],
        [
          'Data',
          `${formatCount(textOf(rollup, 'submissions'))} submissions, ${formatBytes(numberOf(rollup, 'bytes') ?? 0)}`,
        ],
        ['Deposits', formatCount(textOf(rollup, 'deposits'))],
        ['First data in', link('blocks', 'firstHeight')(rollup)],
        ['Newest data in', link('blocks', 'lastHeight')(rollup)],
        ...(node.isPresent
          ? ([
              ['Soft block', formatCount(textOf(node, 'soft'))],
              ['Firm block', formatCount(textOf(node, 'firm'))],
              firmPlace(node),
              ['Chain', textOf(node, 'chainId')],
              [
                'Node',
                problem === '' ? (
                  <Badge key="node" tone="good">
                    live
                  </Badge>
                ) : (
                  <span key="node">
                    <Badge tone="bad">{problem}</Badge>{' '}
                    {node.at('awaySince').isPresent && (
                      <>
                        since <When at={node.at('awaySince')} />
                      </>
                    )}
                  </span>
                ),
              ],
            ] as const)
          : ([['Node', 'none is followed here: what is shown is what the sequencer has of it']] as const)),
      ]}
    />
  );
}
