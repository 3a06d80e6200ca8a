import { useEffect, useState } from 'react';

const SHOWN_MS = 1_500;

/** The outcome of the last copy, for a moment, and a function that puts a text on the clipboard. */
export function useClipboard() {
  const [state, setState] = useState<'' | 'copied' | 'refused'>('');
  useEffect(() => {
    if (state === '') return;
    const timer = window.setTimeout(() => setState(''), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [state]);
  const copy = async (text: string) => {
    try {
      // Browsers offer no clipboard to pages over plain HTTP from another machine.
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('refused');
    }
  };
  return { state, copy };
}
