import { explorer, type Found } from '@switchyard/explorer/contract';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { shown } from '../ui/shown.ts';
import { ask, isNotFound, messageOf } from './api.ts';

/** Finds what a height, hash, address or name stands for. The key `/` goes to it. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<readonly Found[]>();
  const [message, setMessage] = useState('');
  useEffect(() => {
    const toSearch = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    const clear = () => {
      setFound(undefined);
      setMessage('');
    };
    document.addEventListener('keydown', toSearch);
    window.addEventListener('hashchange', clear);
    return () => {
      document.removeEventListener('keydown', toSearch);
      window.removeEventListener('hashchange', clear);
    };
  }, []);
  const search = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const query = String(new FormData(event.currentTarget).get('q') ?? '').trim();
    if (query === '') return;
    setMessage('Searching…');
    try {
      const { items: list } = await ask(explorer.search, { q: query });
      const [only] = list;
      if (list.length === 1 && only !== undefined) location.hash = only.path;
      setFound(list.length === 1 ? undefined : list);
      setMessage(
        list.length === 0 ? `Nothing found for ${shown(query)}.` : list.length === 1 ? '' : `${list.length} found:`,
      );
    } catch (error) {
      setFound(undefined);
      setMessage(isNotFound(error) ? 'Nothing found.' : messageOf(error));
    }
  };
  return (
    <search className="search">
      <form onSubmit={(event) => void search(event)}>
        <input
          ref={input}
          name="q"
          type="search"
          aria-label="Search"
          aria-keyshortcuts="/"
          placeholder="Height, hash, address or name"
          autoComplete="off"
          spellcheck={false}
          maxLength={200}
        />
        <button type="submit">Search</button>
      </form>
      <div role="status" className={message === '' ? 'hidden' : 'found card'}>
        {message}
        {found?.map(({ label, path }) => (
          <a key={path} href={`#${path}`}>
            {shown(label)}
          </a>
        ))}
      </div>
    </search>
  );
}
