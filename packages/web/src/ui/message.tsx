import type { ReactNode } from 'react';

export type Tone = 'plain' | 'good' | 'warn' | 'bad';

interface MessageProps {
  readonly tone?: Tone;
  /** How it is read out if it appeared on its own. */
  readonly role?: 'status' | 'alert';
  readonly children: ReactNode;
}

/** A notice within a page. */
export function Message({ tone = 'plain', role, children }: MessageProps) {
  return (
    <div className={`message ${tone}`} role={role}>
      {children}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  /** Sentence on what to do. */
  readonly children?: ReactNode;
  /** A link or a button that does it. */
  readonly action?: ReactNode;
}

/** In place of a list that has nothing yet. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="empty-state">
      <p>
        <strong>{title}</strong>
      </p>
      {children !== undefined && <p className="quiet">{children}</p>}
      {action}
    </div>
  );
}
