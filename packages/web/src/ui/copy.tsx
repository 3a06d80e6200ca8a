import { useEffect, useState } from 'react';

const SHOWN_MS = 1_500;

interface CopyProps {
  readonly text: string;
  /** Name of the text, which tells screen readers of several buttons apart. */
  readonly what: string;
}

/** A button that copies a text, and shows for a moment whether the browser let it. */
export function CopyButton({ text, what }: CopyProps) {
  const [outcome, setOutcome] = useState<'' | 'Copied' | 'Select it by hand'>('');
  useEffect(() => {
    if (outcome === '') return;
    const timer = window.setTimeout(() => setOutcome(''), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      // Browsers offer no clipboard to pages over plain HTTP from another machine.
      await navigator.clipboard.writeText(text);
      setOutcome('Copied');
    } catch {
      setOutcome('Select it by hand');
    }
  };
  const isCopied = outcome === 'Copied';
  return (
    <span className="copy">
      <button type="button" className="icon" aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={copy}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={isCopied ? 'M3 8.5l3.5 3.5L13 4.5' : 'M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z'} />
        </svg>
      </button>
      <span role="status" className={isCopied ? 'hidden' : undefined}>
        {outcome}
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
