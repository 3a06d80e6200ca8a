import type { ReactNode } from 'react';
import { Copy } from './copy.tsx';

interface HintProps {
  readonly children: ReactNode;
  readonly command?: string;
  /** Page of the network that helps. */
  readonly page?: 'chat' | 'faucet';
}

/** What to do where there is nothing yet: a sentence, and a command that can be copied. */
export function Hint({ children, command }: HintProps) {
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
