import { object } from '@switchyard/client/http-api';
import { FactList } from '../../ui/facts.tsx';
import { formatCount, words } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { askNode, getRows, type Row } from '../api.ts';
import { Loaded } from '../parts/answer.tsx';
import { Id, Link, Long, rollupFact, text } from '../parts/cells.tsx';
import { Card, Title } from '../parts/layout.tsx';
import { listed } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { elements, word } from '../word.ts';
import { type Kind, PartPage } from './defined.tsx';
import { AnyValue, Member } from './members.tsx';
import { Proof } from './proof.tsx';
import { ParameterForm } from './query.tsx';

/* Tables of any rollup, by the definition that its node has. */

const table = object({
  ...{ name: word, help: word, state: word },
  key: (input) =>
    elements(input)
      .map((part) => word(part.at('type')))
      .join(', '),
  value: (input) => elements(input.at('fields')).map((field) => word(field.at('name'))),
  indexes: (input) => elements(input).map((index) => word(index.at('name'))),
});
type Table = ReturnType<typeof table>;

export const TABLES: Kind<Table> = {
  ...{ part: 'tables', title: 'Tables', one: 'Table' },
  ...{ read: table, columns: [['Key', text('key')]] },
};

/** Rows of a table, by an index or by the first parts of their keys if the address has these. */
export const TablePage = (page: PageProps) => (
  <PartPage
    key={page.route.path}
    {...page}
    kind={TABLES}
    show={(one, path, given) => (
      <>
        <ParameterForm path={path} parameters={getParameters(one)} given={given} />
        {listed('Rows', getRows(page.rollup, one.name, Object.fromEntries(given)), [
          ['Key', keyCell(one)],
          ...getFields(one),
        ]).show({ limit: 25, page: page.route })}
      </>
    )}
  />
);

const getParameters = ({ indexes }: Table) => {
  const any = { type: '', fallback: '' };
  const prefix = 'First parts of the key, or of that of the index, such as ["bob", 7]';
  const index = {
    ...any,
    name: 'index',
    help: 'In whose order the rows are; otherwise in that of the keys',
    words: indexes,
  };
  return [...(indexes.length > 0 ? [index] : []), { ...any, name: 'prefix', help: prefix, words: [] }];
};

/** A key as the routes of the state take it. Rows of derived tables are no part of the state, and have no page. */
function keyCell({ name, state }: Table) {
  const path = `./rows/${encodeURIComponent(name)}`;
  return ({ key }: Row) => {
    const parts = key.map((part, at) => (at < key.length - 1 ? encodeURIComponent(part) : part));
    const to = state === 'derived' ? undefined : `${path}/${encodeURIComponent(parts.join('/') || '_')}`;
    return <Id text={key.join(' ') || 'the only one'} to={to} />;
  };
}

/** More fields are one below the other. */
const MAX_COLUMNS = 6;

const getFields = ({ value: names }: Table): Columns<Row> =>
  names.length === 0 || names.length > MAX_COLUMNS
    ? [['Row', ({ value }) => <AnyValue of={value} depth={1} />, 'words']]
    : names.map((name) => [words(name), ({ value }) => <Member name="" member={value.at(name)} depth={1} />]);

/** A row after the newest block, with the proof that came with it. */
export function RowPage({ rollup, id: name, route }: PageProps) {
  const key = route.parts[4] ?? '';
  const path = `state/${encodeURIComponent(name)}/${encodeURIComponent(key)}`;
  return (
    <>
      <Title kind="Row of table">{shown(name)}</Title>
      <FactList
        facts={[
          rollupFact(rollup),
          ['Table', <Link key="table" kind="./tables" id={name} />],
          ['Key', <Long key="key">{shown(key)}</Long>],
        ]}
      />
      <Card title="Row">
        <Loaded
          name={`${rollup} ${path}`}
          load={() => askNode(rollup, path, { proof: 'true' })}
          show={(answer) => (
            <>
              <p className="quiet">After block {formatCount(word(answer.at('block')))}</p>
              {answer.at('value').isPresent ? (
                <AnyValue of={answer.at('decoded')} />
              ) : (
                <p>There is none of this key.</p>
              )}
              <Proof
                key={word(answer.at('value'))}
                name="Check the proof of the row"
                check={async () => (await import('../check-proof.ts')).provenRow(rollup, answer)}
              />
            </>
          )}
        />
      </Card>
    </>
  );
}
