import { useEffect, useState } from 'react';

const SHOWN_MS = 1_500;

/** A value that can be copied; what it is called tells screen readers which. */
export function Copied({ value, what }: { readonly value: string; readonly what: string }) {
  const [state, setState] = useState('');
  useEffect(() => {
    if (state === '') return;
    const timer = window.setTimeout(() => setState(''), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [state]);
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setState('copied'),
      () => setState('select it by hand'),
    );
  return (
    <span className="copied">
      <code>{value}</code>
      <button type="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{state}</span>
    </span>
  );
}
