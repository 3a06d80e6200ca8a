import type { Read } from '@switchyard/client/http-api';
import type { ReactNode } from 'react';
import { FactList } from '../../ui/facts.tsx';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { askNode, rollupPath, wholeList } from '../api.ts';
import { Loaded } from '../parts/answer.tsx';
import { link, rollupFact, text } from '../parts/cells.tsx';
import { Absent, Title } from '../parts/layout.tsx';
import { type Listed, listed } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { elements } from '../word.ts';

/* Parts of the definition that the node of any rollup has. */

interface Named {
  readonly name: string;
  readonly help: string;
}

export interface Kind<T extends Named> {
  /** Member of the definition, and the address of their pages. */
  readonly part: 'queries' | 'tables';
  readonly title: string;
  /** For one of them. */
  readonly one: string;
  readonly read: Read<T>;
  readonly columns: Columns<T>;
}

const getSource = <T extends Named>({ part, read }: Kind<T>, rollup: string) =>
  wholeList(`${part} ${rollup}`, async () => elements((await askNode(rollup, 'definition')).at(part)).map(read));

export const getParts = <T extends Named>(kind: Kind<T>, rollup: string): Listed => {
  const { part, title, columns } = kind;
  const all: Columns<T> = [['Name', link(`./${part}`, 'name'), 'name'], ...columns, ['Meaning', text('help'), 'words']];
  return listed(title, getSource(kind, rollup), all, `The definition of this rollup has no ${part}.`);
};

interface PartPageProps<T extends Named> extends PageProps {
  readonly kind: Kind<T>;
  /** @param given Parameters in the address behind its name, which is `path`. */
  readonly show: (part: T, path: string, given: URLSearchParams) => ReactNode;
}

export function PartPage<T extends Named>({ kind, show, rollup, id: name, route }: PartPageProps<T>) {
  const { part, one } = kind;
  const source = getSource(kind, rollup);
  return (
    <Loaded
      page={one}
      name={source.key}
      load={async () => (await source.load('', undefined)).items}
      isOnce
      show={(all) => {
        const found = all.find((each) => each.name === name);
        if (found === undefined)
          return <Absent title={`No such ${one.toLowerCase()}`}>The rollup has none of this name.</Absent>;
        return (
          <>
            <Title kind={one}>{shown(name)}</Title>
            <FactList facts={[rollupFact(rollup), ['Meaning', shown(found.help)]]} />
            {show(
              found,
              `${rollupPath(rollup)}/${part}/${encodeURIComponent(name)}`,
              new URLSearchParams(route.path.split('/')[5]),
            )}
          </>
        );
      }}
    />
  );
}
