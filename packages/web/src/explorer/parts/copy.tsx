import { useClipboard } from '../../use-clipboard.ts';

/** A button that copies a text, and states in words whether the browser let it. */
export function Copy({ text, label = `Copy ${text}` }: { readonly text: string; readonly label?: string }) {
  const { state, copy } = useClipboard({ copied: 'Copied', refused: 'Not allowed here: select it' });
  return (
    <span className="copy">
      <button type="button" aria-label={label} title="Copy" onClick={() => void copy(text)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z" />
        </svg>
      </button>
      <span role="status">{state}</span>
    </span>
  );
}
