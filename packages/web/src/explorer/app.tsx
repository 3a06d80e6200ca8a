import { explorer } from '@switchyard/explorer/contract';
import { lazy, Suspense } from 'react';
import { formatCount } from '../ui/format.ts';
import { type Health, PageHeader } from '../ui/header.tsx';
import { Loading } from '../ui/loading.tsx';
import { PageFooter } from '../ui/page-footer.tsx';
import { shown } from '../ui/shown.ts';
import { ask, rollupPath } from './api.ts';
import { LiveHeads, useLive } from './live.tsx';
import { useAsked } from './parts/answer.tsx';
import { Here } from './parts/cells.tsx';
import { PageOf, type Pages, useScrolledTo } from './parts/layout.tsx';
import { type Route, useRoute } from './route.ts';
import { Search } from './search.tsx';
import { Account } from './views/account.tsx';
import { Block } from './views/block.tsx';
import { Bridge } from './views/bridge.tsx';
import { Home } from './views/home.tsx';
import { ChartsPage, isList, ListPage } from './views/lists.tsx';
import { QueryPage } from './views/query.tsx';
import { Rollup } from './views/rollup.tsx';
import { RollupAccount } from './views/rollup-account.tsx';
import { RollupBlock } from './views/rollup-block.tsx';
import { RowPage, TablePage } from './views/table.tsx';
import { Trace } from './views/trace.tsx';
import { Transaction } from './views/transaction.tsx';

const EvmView = lazy(async () => ({ default: (await import('./evm/evm.tsx')).EvmView }));

const PARTS: readonly (readonly [name: string, path: string])[] = [
  ['Blocks', 'blocks'],
  ['Transactions', 'transactions'],
  ['Rollups', 'rollups'],
  ['Bridges', 'bridges'],
  ['Validators', 'validators'],
  ['Charts', 'charts'],
];

const PAGES: Pages = { blocks: Block, transactions: Transaction, accounts: Account, bridges: Bridge };
const ROLLUP_PAGES: Pages = {
  ...{ transactions: Trace, blocks: RollupBlock, accounts: RollupAccount },
  ...{ tables: TablePage, rows: RowPage, queries: QueryPage },
};

function View({ route }: { readonly route: Route }) {
  const [kind = '', id = '', part = ''] = route.parts;
  if (kind === '') return <Home />;
  if (kind === 'charts') return <ChartsPage range={id} />;
  // There are no pages about one validator.
  if (isList(kind) && (id === '' || kind === 'validators')) return <ListPage key={kind} name={kind} route={route} />;
  if (kind === 'rollups' && id !== '') {
    return (
      <Here key={id} value={rollupPath(id)}>
        <RollupView rollup={id} route={route} />
      </Here>
    );
  }
  return <PageOf pages={PAGES} kind={kind} rollup="" id={id} part={part} route={route} />;
}

function RollupView({ rollup, route }: { readonly rollup: string; readonly route: Route }) {
  const [, , part = '', item = '', itemOfEvm] = route.parts;
  if (part === 'evm' && itemOfEvm !== undefined) {
    return (
      <Suspense fallback={<Loading shape="page" count={8} />}>
        <EvmView rollup={rollup} route={route} />
      </Suspense>
    );
  }
  if (part === 'evm') return <Rollup rollup={rollup} id={rollup} part={`evm/${item}`} route={route} />;
  if (item === '') return <Rollup rollup={rollup} id={rollup} part={part} route={route} />;
  return <PageOf pages={ROLLUP_PAGES} kind={part} rollup={rollup} id={item} part="" route={route} />;
}

/** A block that was made a moment ago is not in the index yet. */
const NORMAL_LAG = 2;

/** The chain, how far the index is, and whether news still arrive. */
function useHealth(): Health | undefined {
  const { turn, isConnected, wasConnected } = useLive();
  const { value } = useAsked('/status', () => ask(explorer.getStatus, {}), turn);
  if (wasConnected && !isConnected) {
    return { tone: 'bad', text: 'The explorer does not answer. The page may be outdated; trying again.' };
  }
  if (value === undefined) return undefined;
  const { height, lag, problem } = value;
  if (problem !== null) return { tone: 'bad', text: shown(problem) };
  const behind = lag > NORMAL_LAG ? ` · ${formatCount(lag)} behind` : '';
  return { tone: behind === '' ? 'good' : 'warn', text: `block ${formatCount(height)}${behind}` };
}

function Header({ route }: { readonly route: Route }) {
  return (
    <PageHeader kind="explorer" health={useHealth()} home="#/">
      <div className="parts">
        <nav aria-label="Parts of the explorer" ref={useScrolledTo(route.parts[0] ?? '')}>
          {PARTS.map(([name, path]) => (
            <a key={path} href={`#/${path}`} aria-current={route.parts[0] === path ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <Search />
      </div>
    </PageHeader>
  );
}

function Footer() {
  const { value } = useAsked('/status', () => ask(explorer.getStatus, {}));
  return (
    <PageFooter>
      <p>
        {value !== undefined && `Chain ${shown(value.chainId)}. `}
        <a href="./docs">The API</a> has everything that is shown here.
      </p>
    </PageFooter>
  );
}

export function Explorer() {
  const route = useRoute();
  return (
    <LiveHeads>
      <Header route={route} />
      <main id="main" tabIndex={-1}>
        <View route={route} />
      </main>
      <Footer />
    </LiveHeads>
  );
}
