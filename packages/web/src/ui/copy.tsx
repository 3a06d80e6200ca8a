import { useEffect, useState } from 'react';

const SHOWN_MS = 1_500;

interface CopyProps {
  readonly text: string;
  /** Name of the text, which tells screen readers of several buttons apart. */
  readonly what: string;
  /** Words on the button; without them it is a picture. */
  readonly label?: string;
}

/** The outcome of the last copy, for a moment, and a function that puts a text on the clipboard. */
function useClipboard() {
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

/** A button that copies a text, and shows whether the browser let it. */
export function CopyButton({ text, what, label }: CopyProps) {
  const { state, copy } = useClipboard();
  const isCopied = state === 'copied';
  return (
    <span className="copy">
      <button
        type="button"
        className={label === undefined ? 'icon' : 'plain small'}
        aria-label={`Copy ${what}`}
        title={`Copy ${what}`}
        onClick={() => void copy(text)}
      >
        {label ?? (
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={isCopied ? 'M3 8.5l3.5 3.5L13 4.5' : 'M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z'} />
          </svg>
        )}
      </button>
      <span role="status" className={isCopied && label === undefined ? 'hidden' : undefined}>
        {isCopied ? 'Copied' : state === 'refused' ? 'Select it by hand' : ''}
      </span>
    </span>
  );
}

/** A command to type into a shell. */
export function Command({ text }: { readonly text: string }) {
  return (
    <p className="command">
      <code>{text}</code>
      <CopyButton text={text} what="the command" />
    </p>
  );
}
