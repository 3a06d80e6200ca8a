import { explorer, type Found } from '@switchyard/explorer/contract';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { shown } from '../ui/shown.ts';
import { ask, getMessage, isNotFound } from './api.ts';

/** Nothing is queried while a reader types on. */
const TYPING_MS = 150;
const MAX_QUERY = 200;
const LIST = 'suggestions';

/** Finds what a height, hash, address or name stands for, and suggests while one types. The key `/` goes to it. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const asking = useRef<AbortController>(undefined);
  const [found, setFound] = useState<readonly Found[]>([]);
  const [active, setActive] = useState(-1);
  const [message, setMessage] = useState('');

  /** Ends the query under way, and the waiting one. */
  const restart = () => {
    asking.current?.abort();
    asking.current = new AbortController();
    setActive(-1);
    return asking.current.signal;
  };
  const close = () => {
    restart();
    setFound([]);
    setMessage('');
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `close` uses only what stays the same
  useEffect(() => {
    const toSearch = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', toSearch);
    window.addEventListener('hashchange', close);
    return () => {
      document.removeEventListener('keydown', toSearch);
      window.removeEventListener('hashchange', close);
    };
  }, []);

  const suggest = () => {
    const signal = restart();
    setMessage('');
    const query = typed(input.current?.form);
    if (query === '') return setFound([]);
    const timer = window.setTimeout(async () => {
      // Without suggestions the search itself still works, and states the problem.
      const { items } = await ask(explorer.suggest, { q: query }, { signal }).catch(() => ({ items: [] }));
      if (!signal.aborted) setFound(items);
    }, TYPING_MS);
    signal.addEventListener('abort', () => window.clearTimeout(timer));
  };
  const search = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const chosen = found[active];
    const query = typed(input.current?.form);
    const signal = restart();
    if (chosen !== undefined) return open(chosen);
    if (query === '') return;
    setMessage('Searching…');
    try {
      const { items } = await ask(explorer.search, { q: query }, { signal });
      const [only] = items;
      if (items.length === 1 && only !== undefined) return open(only);
      setFound(items);
      setMessage(items.length === 0 ? `Nothing found for ${shown(query)}.` : `${items.length} found:`);
    } catch (error) {
      if (signal.aborted) return;
      setFound([]);
      setMessage(isNotFound(error) ? 'Nothing found.' : getMessage(error));
    }
  };
  const open = ({ path }: Found) => {
    close();
    location.hash = path;
  };
  const move = (event: { readonly key: string; preventDefault(): void }) => {
    if (event.key === 'Escape') return close();
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined;
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    // One place more than there are suggestions: the text itself.
    const places = found.length + 1;
    setActive((before) => ((before + 1 + step + places) % places) - 1);
  };
  const optionId = (index: number) => `${LIST}-${index}`;
  return (
    <search className="search">
      <form onSubmit={(event) => void search(event)}>
        <input
          ref={input}
          name="q"
          type="text"
          role="combobox"
          enterkeyhint="search"
          aria-label="Search"
          aria-keyshortcuts="/"
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={LIST}
          aria-activedescendant={active < 0 ? undefined : optionId(active)}
          placeholder="Height, hash, address or name"
          autoComplete="off"
          spellcheck={false}
          maxLength={MAX_QUERY}
          onInput={suggest}
          onKeyDown={move}
          onBlur={close}
        />
        <button type="submit">Search</button>
      </form>
      <div className={found.length + message.length === 0 ? 'hidden' : 'found card'}>
        <p role="status">{message}</p>
        <div id={LIST} role="listbox" aria-label="Suggestions">
          {found.map((each, index) => (
            // A keyboard gets here from the field, which keeps the focus.
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: by `aria-activedescendant`
            <div
              key={each.path}
              id={optionId(index)}
              role="option"
              aria-selected={index === active}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => open(each)}
            >
              {each.kind === 'account' && 'account '}
              {shown(each.label)}
            </div>
          ))}
        </div>
      </div>
    </search>
  );
}

/** The text of the field as a form sends it: halves of surrogate pairs, which no address can have, are replaced. */
const typed = (form: HTMLFormElement | null | undefined): string =>
  form ? String(new FormData(form).get('q') ?? '').trim() : '';
