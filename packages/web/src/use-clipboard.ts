import { useEffect, useState } from 'react';

const SHOWN_MS = 1_500;

/** The outcome of the last copy, in words and for a moment, and a function that puts a text on the clipboard. */
export function useClipboard(words: { readonly copied: string; readonly refused: string }) {
  const [state, setState] = useState('');
  useEffect(() => {
    if (state === '') return;
    const timer = window.setTimeout(() => setState(''), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [state]);
  const copy = async (text: string) => {
    try {
      // Browsers offer no clipboard to pages over plain HTTP from another machine.
      await navigator.clipboard.writeText(text);
      setState(words.copied);
    } catch {
      setState(words.refused);
    }
  };
  return { state, copy };
}
