import type { ReactNode } from 'react';
import { formatDuration } from '../../ui/format.ts';
import { When } from '../../ui/when.tsx';

interface StepProps {
  readonly name: string;
  readonly at?: string | null | undefined;
  readonly tookMs?: number | undefined;
  readonly isDone: boolean;
  readonly tone?: 'bad' | undefined;
  readonly children?: ReactNode;
}

/** One stage on a time line: its name and facts, when it was, and how long it took from the one before. */
export function StepLine({ name, at, tookMs, isDone, tone, children }: StepProps) {
  return (
    <li className={isDone ? (tone ?? 'done') : ''}>
      <p>
        <strong>{name}</strong> {children}
      </p>
      {at !== null && at !== undefined && (
        <p className="quiet at">
          <When at={at} both />
          {tookMs !== undefined && tookMs > 0 && <span className="took">+{formatDuration(tookMs)}</span>}
        </p>
      )}
    </li>
  );
}
