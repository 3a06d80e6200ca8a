import { explorer } from '@switchyard/explorer/contract';
import { lazy, Suspense } from 'react';
import { formatCount } from '../ui/format.ts';
import { CHOICES, choose, useChoice } from '../ui/preferences.ts';
import { shown } from '../ui/shown.ts';
import { ask } from './api.ts';
import { LiveHeads, useLive } from './live.tsx';
import { Loading, useAsked } from './parts/answer.tsx';
import { Absent } from './parts/layout.tsx';
import { type Route, useRoute } from './route.ts';
import { Search } from './search.tsx';
import { Account } from './views/account.tsx';
import { Block } from './views/block.tsx';
import { Home } from './views/home.tsx';
import { ChartsPage, isList, ListPage } from './views/lists.tsx';
import { Rollup } from './views/rollup.tsx';
import { RollupAccount } from './views/rollup-account.tsx';
import { RollupBlock } from './views/rollup-block.tsx';
import { Trace } from './views/trace.tsx';
import { Transaction } from './views/transaction.tsx';

const EvmView = lazy(async () => ({ default: (await import('./evm/evm.tsx')).EvmView }));

const PARTS: readonly (readonly [name: string, path: string])[] = [
  ['Blocks', 'blocks'],
  ['Transactions', 'transactions'],
  ['Rollups', 'rollups'],
  ['Bridge accounts', 'bridges'],
  ['Validators', 'validators'],
  ['Charts', 'charts'],
];

function View({ route }: { readonly route: Route }) {
  const [kind = '', id = '', part = '', item = ''] = route.parts;
  if (kind === '') return <Home />;
  if (kind === 'blocks' && id !== '') return <Block key={id} id={id} route={route} />;
  if (kind === 'transactions' && id !== '') return <Transaction key={id} hash={id} />;
  if (kind === 'accounts' && id !== '') return <Account key={id} address={id} route={route} />;
  if (kind === 'charts') return <ChartsPage range={id} />;
  if (kind === 'rollups' && id !== '') return <RollupView key={id} id={id} part={part} item={item} route={route} />;
  if (isList(kind)) return <ListPage key={kind} name={kind} route={route} />;
  return <Absent title="No such page">There is no page at {shown(route.path)}.</Absent>;
}

function RollupView({
  id,
  part,
  item,
  route,
}: {
  readonly id: string;
  readonly part: string;
  readonly item: string;
  readonly route: Route;
}) {
  if (part === 'evm' && route.parts[4] !== undefined) {
    return (
      <Suspense fallback={<Loading lines={12} />}>
        <EvmView rollup={id} route={route} />
      </Suspense>
    );
  }
  if (part === 'evm') return <Rollup id={id} part={`evm/${item}`} route={route} />;
  if (item === '') return <Rollup id={id} part={part} route={route} />;
  if (part === 'transactions') return <Trace key={item} rollup={id} hash={item} />;
  if (part === 'blocks') return <RollupBlock key={item} rollup={id} number={item} />;
  if (part === 'accounts') return <RollupAccount key={item} rollup={id} address={item} />;
  return <Absent title="No such page">There is no page at {shown(route.path)}.</Absent>;
}

/** A block that was made a moment ago is not in the index yet. */
const NORMAL_LAG = 2;

/** The chain, how far the index is, and whether news still arrive. */
function StatusLine() {
  const { turn, isConnected, wasConnected } = useLive();
  const { value } = useAsked('/status', () => ask(explorer.getStatus, {}), turn);
  const lost = wasConnected && !isConnected;
  const problem = shown(value?.problem);
  return (
    <div className="status">
      <p>
        <span className={isConnected ? 'light good' : 'light bad'} aria-hidden="true" />
        {value !== undefined && (
          <>
            {shown(value.chainId)} · block {formatCount(value.height)}
            {value.lag > NORMAL_LAG && ` · ${formatCount(value.lag)} behind`}
          </>
        )}
      </p>
      <p role="status" className={lost || problem !== '' ? 'message bad' : 'hidden'}>
        {lost ? 'The explorer does not answer. What is shown may be old; trying again.' : problem}
      </p>
    </div>
  );
}

function Settings() {
  const [theme, times] = [useChoice('theme'), useChoice('times')];
  return (
    <div className="settings">
      <label>
        Colours{' '}
        <select value={theme} onChange={(event) => choose('theme', event.currentTarget.value as typeof theme)}>
          {CHOICES.theme.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label>
        Times{' '}
        <select value={times} onChange={(event) => choose('times', event.currentTarget.value as typeof times)}>
          {CHOICES.times.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </div>
  );
}

export function Explorer() {
  const route = useRoute();
  return (
    <LiveHeads>
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        To the content
      </button>
      <header>
        <div className="bar">
          <a className="brand" href="#/">
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M3 6h7l5 12h6M3 18h7l1.5-3.5M15 6h6" />
            </svg>
            Explorer
          </a>
          <nav aria-label="Parts">
            {PARTS.map(([name, path]) => (
              <a key={path} href={`#/${path}`} aria-current={route.parts[0] === path ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
        </div>
        <div className="bar">
          <Search />
          <StatusLine />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <View route={route} />
      </main>
      <footer>
        <Settings />
        <p className="quiet">
          The same facts are at <a href="v1/status">/v1</a> as JSON.
        </p>
      </footer>
    </LiveHeads>
  );
}
