import type { ReactNode } from 'react';
import { Copy } from './copy.tsx';

/** What to do where there is nothing yet: a sentence, and a command that can be copied. */
export function Hint({ children, command }: { readonly children: ReactNode; readonly command?: string }) {
  return (
    <>
      <p>{children}</p>
      {command !== undefined && (
        <p className="command">
          <code>{command}</code>
          <Copy text={command} label="Copy the command" />
        </p>
      )}
    </>
  );
}
