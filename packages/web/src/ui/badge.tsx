import type { ReactNode } from 'react';

/** A state in one word. @param tone `good`, `warn`, `bad` or `plain`. */
export function Badge({ tone = 'plain', children }: { readonly tone?: string; readonly children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
