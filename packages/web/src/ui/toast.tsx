import { useSyncExternalStore } from 'react';
import type { Tone } from './message.tsx';

const SHOWN_MS = 5_000;
const MOST = 3;

interface Toast {
  readonly id: number;
  readonly tone: Tone;
  readonly text: string;
}

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const dismiss = (id: number) => set(toasts.filter((each) => each.id !== id));

/** Shows the outcome of something for a moment, wherever the reader is. What must not be missed is a `Message`. */
export function toast(text: string, tone: Tone = 'plain'): void {
  last += 1;
  const id = last;
  set([...toasts.slice(1 - MOST), { id, tone, text }]);
  window.setTimeout(() => dismiss(id), SHOWN_MS);
}

/** The place of toasts; the header of a page has it. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, tone, text }) => (
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
