import { type ReactNode, useId, useRef } from 'react';

interface SheetProps {
  /** Contents of the button that opens it. */
  readonly label: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
}

/**
 * A button, and the sheet that it opens: at the side of a wide window, at the bottom of a narrow one. While it is open the rest of
 * the page takes no input; Escape, the button in it or a click outside closes it, and the focus returns. What was typed stays.
 */
export function Sheet({ label, title, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const close = () => dialog.current?.close();
  return (
    <>
      <button
        type="button"
        className="plain small"
        aria-haspopup="dialog"
        onClick={({ currentTarget }) => {
          // Safari gives a clicked button no focus, and it returns to where it was.
          currentTarget.focus();
          dialog.current?.showModal();
        }}
      >
        {label}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key, which the browser handles */}
      <dialog
        ref={dialog}
        className="side-sheet"
        aria-labelledby={id}
        onClick={({ target, currentTarget }) => target === currentTarget && close()}
      >
        <div className="side-sheet-head">
          <h2 id={id}>{title}</h2>
          <button type="button" className="icon" aria-label={`Close ${title}`} onClick={close}>
            ×
          </button>
        </div>
        <div className="side-sheet-body">{children}</div>
      </dialog>
    </>
  );
}
