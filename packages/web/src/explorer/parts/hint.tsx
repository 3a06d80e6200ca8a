import type { ReactNode } from 'react';
import { Command } from '../../ui/copy.tsx';
import { useNetworkPages } from '../../ui/network-pages.ts';
import { shown } from '../../ui/shown.ts';

export interface HintProps {
  readonly children: ReactNode;
  readonly command?: string;
  /** Kind of the pages of the network that do it. */
  readonly page?: 'chat';
}

/** Help if there is nothing yet: a sentence, and a page that does it or a command that can be copied. */
export function Hint({ children, command, page }: HintProps) {
  const { pages } = useNetworkPages();
  const links = pages.filter(({ kind }) => kind === page);
  return (
    <>
      <p>{children}</p>
      {command !== undefined && <Command text={command} />}
      {links.length > 0 && (
        <p>
          {command === undefined ? 'Open' : 'Or open'}
          {links.map(({ title, url }) => (
            <span key={url}>
              {' '}
              <a href={url}>{shown(title)}</a>
            </span>
          ))}
        </p>
      )}
    </>
  );
}
