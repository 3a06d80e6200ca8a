import { type FormEvent, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ask, word } from './api.ts';
import { Answer } from './parts.tsx';
import { shown } from './shown.ts';
import { Account, Block, Bridges, Home, Rollup, Rollups, Trace, Transaction, Validators } from './views.tsx';

const LOOK_MS = 1_000;

/** A number that changes whenever the explorer has something new. */
function useNews(): { readonly turn: number; readonly isLive: boolean } {
  const [news, setNews] = useState({ turn: 0, isLive: false, last: '' });
  useEffect(() => {
    const look = async () => {
      try {
        const status = await ask('/status');
        const last = JSON.stringify(status.value);
        setNews((before) => ({ turn: before.turn + (last === before.last ? 0 : 1), isLive: true, last }));
      } catch {
        setNews((before) => ({ ...before, isLive: false }));
      }
    };
    void look();
    const timer = window.setInterval(() => void look(), LOOK_MS);
    return () => window.clearInterval(timer);
  }, []);
  return news;
}

function usePath(): string {
  const [path, setPath] = useState(location.hash.slice(1));
  useEffect(() => {
    const change = () => setPath(location.hash.slice(1));
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, []);
  return path;
}

function Search() {
  const [found, setFound] = useState<readonly { label: string; path: string }[]>();
  const search = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const query = String(new FormData(event.currentTarget).get('q') ?? '').trim();
    if (query === '') return;
    try {
      const items = (await ask(`/search?q=${encodeURIComponent(query)}`)).at('items').list(100);
      const list = items.map((each) => ({ label: word(each.at('label')), path: word(each.at('path')) }));
      const [only] = list;
      if (list.length === 1 && only !== undefined) location.hash = only.path;
      setFound(list.length === 1 ? undefined : list);
    } catch {
      setFound([]);
    }
  };
  return (
    <>
      <form onSubmit={(event) => void search(event)}>
        <input name="q" aria-label="Search" placeholder="Height, hash, address or name" maxLength={200} />
        <button type="submit">Search</button>
      </form>
      {found !== undefined && (
        <p className="message" role="status">
          {found.length === 0
            ? 'Nothing found.'
            : found.map(({ label, path }) => (
                <a key={path} href={`#${path}`} onClick={() => setFound(undefined)}>
                  {shown(label)}
                </a>
              ))}
        </p>
      )}
    </>
  );
}

function View({ path, turn }: { readonly path: string; readonly turn: number }) {
  const [, kind = '', id = '', part = '', more = ''] = path.split('/').map(decoded);
  if (kind === 'blocks' && id !== '') return <Block id={id} turn={turn} />;
  if (kind === 'transactions' && id !== '') return <Transaction hash={id} />;
  if (kind === 'accounts' && id !== '') return <Account address={id} turn={turn} />;
  if (kind === 'bridges') return <Bridges turn={turn} />;
  if (kind === 'validators') return <Validators turn={turn} />;
  if (kind === 'rollups' && part === 'transactions') return <Trace rollup={id} hash={more} turn={turn} />;
  if (kind === 'rollups' && id !== '') return <Rollup id={id} turn={turn} />;
  if (kind === 'rollups') return <Rollups turn={turn} />;
  return <Home turn={turn} />;
}

/** What a user typed into the address may be anything. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function Explorer() {
  const { turn, isLive } = useNews();
  const path = usePath();
  return (
    <>
      <header>
        <nav aria-label="Parts">
          <a href="#/">Explorer</a>
          <a href="#/rollups">Rollups</a>
          <a href="#/bridges">Bridge accounts</a>
          <a href="#/validators">Validators</a>
        </nav>
        <Search />
        <Answer
          path="/status"
          turn={turn}
          show={(status) => (
            <p className="quiet">
              {shown(word(status.at('chainId')))} · block {word(status.at('height'))} · lag {word(status.at('lag'))}
              {isLive ? '' : ' · the explorer does not answer, trying again'}
              {status.at('problem').isPresent ? ` · ${shown(word(status.at('problem')))}` : ''}
            </p>
          )}
        />
      </header>
      <main>
        <View path={path} turn={turn} />
      </main>
    </>
  );
}

const page = document.getElementById('page');
if (page === null) throw new Error('the page is not whole');
createRoot(page).render(<Explorer />);
