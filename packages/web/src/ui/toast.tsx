import { createFollowed } from './followed.ts';
import type { Tone } from './message.tsx';

const SHOWN_MS = 5_000;
const MOST = 3;

const toasts = createFollowed<readonly { readonly id: number; readonly tone: Tone; readonly text: string }[]>([]);
let last = 0;

const dismiss = (id: number) => toasts.set(toasts.get().filter((each) => each.id !== id));

/** Shows the outcome of something for a moment, wherever the reader is. What must not be missed is a `Message`. */
export function toast(text: string, tone: Tone = 'plain'): void {
  last += 1;
  const id = last;
  toasts.set([...toasts.get().slice(1 - MOST), { id, tone, text }]);
  window.setTimeout(() => dismiss(id), SHOWN_MS);
}

/** The place of toasts; the header of a page has it. */
export function Toasts() {
  return (
    <div className="toasts" role="status">
      {toasts.useValue().map(({ id, tone, text }) => (
        <p key={id} className={`message ${tone}`}>
          {text}
          <button type="button" className="icon" aria-label="Close" onClick={() => dismiss(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
