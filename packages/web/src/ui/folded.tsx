import type { ReactNode } from 'react';

interface FoldedProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

/** Facts that few readers want, behind their title. */
export const Folded = ({ title, hint = '', children }: FoldedProps) => (
  <details className="card folded">
    <summary>
      <h2>{title}</h2> <span className="quiet">{hint}</span>
    </summary>
    {children}
  </details>
);
