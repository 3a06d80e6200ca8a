import type { ReactNode } from 'react';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { When } from '../../ui/when.tsx';
import { rollupPath } from '../api.ts';

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

/** A block of a rollup that a stage took place in. */
export const InRollupBlock = ({ rollup, block }: { readonly rollup: string; readonly block: number }) => (
  <>
    in rollup block <a href={`#${rollupPath(rollup)}/blocks/${block}`}>{formatCount(block)}</a>
  </>
);

export const OnLayer = ({ layer }: { readonly layer: { readonly height: number } | null }) =>
  layer === null ? (
    <span className="quiet">not known to be on the data-availability layer</span>
  ) : (
    <>to the data-availability layer, height {formatCount(layer.height)}</>
  );
