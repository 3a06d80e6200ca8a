import { useClipboard } from './use-clipboard.ts';

/** Puts a text on the clipboard; what it is called tells screen readers which. */
export function CopyButton({ text, what, label = 'Copy' }: { text: string; what: string; label?: string }) {
  const { state, copy } = useClipboard({ copied: 'copied', refused: 'select it by hand' });
  return (
    <>
      <button type="button" className="plain" aria-label={`Copy ${what}`} onClick={() => void copy(text)}>
        {label}
      </button>
      <span role="status">{state}</span>
    </>
  );
}

/** A value that can be copied. */
export function Copied({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <span className="copied">
      <code>{value}</code>
      <CopyButton text={value} what={what} />
    </span>
  );
}
