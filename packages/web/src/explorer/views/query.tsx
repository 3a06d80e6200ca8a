import { type Input, object } from '@switchyard/client/http-api';
import { useId } from 'react';
import { FactList } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { shown } from '../../ui/shown.ts';
import { askNode, rollupPath, wholeList } from '../api.ts';
import { Loaded } from '../parts/answer.tsx';
import { link, rollupFact, text } from '../parts/cells.tsx';
import { Absent, Title } from '../parts/layout.tsx';
import { type Listed, listed } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { elements, word } from '../word.ts';
import { Member, Members } from './members.tsx';

/* Queries of any rollup, by the definition that its node has. */

const parameter = object({
  ...{ name: word, type: word, help: word, words: (input: Input) => elements(input).map(word) },
  fallback: (input) => (input.isPresent ? word(input) : undefined),
});
type Parameter = ReturnType<typeof parameter>;
const isRequired = ({ type, fallback }: Parameter): boolean => fallback === undefined && type !== 'option';

const query = object({ name: word, help: word, url: word, parameters: (input) => elements(input).map(parameter) });

const load = async (rollup: string) => elements((await askNode(rollup, 'definition')).at('queries')).map(query);

export const queriesOf = (rollup: string): Listed =>
  listed(
    'Queries',
    wholeList(`queries ${rollup}`, () => load(rollup)),
    [
      ['Name', link(`${rollupPath(rollup).slice(1)}/queries`, 'name'), 'name'],
      ['Meaning', text('help')],
    ],
  );

export const QueryPage = (page: PageProps) => <OneQuery key={page.route.path} {...page} />;

/** A query with a form for its parameters, which are in the address behind its name. */
function OneQuery({ rollup, id: name, route }: PageProps) {
  const given = new URLSearchParams(route.path.split('/')[5]);
  return (
    <Loaded
      page="Query"
      name={`queries ${rollup}`}
      load={() => load(rollup)}
      isOnce
      show={(all) => {
        const one = all.find((found) => found.name === name);
        if (one === undefined) return <Absent title="No such query">The rollup has none of this name.</Absent>;
        const { help, url, parameters } = one;
        const path = `${rollupPath(rollup)}/queries/${encodeURIComponent(name)}`;
        return (
          <>
            <Title kind="Query">{shown(name)}</Title>
            <FactList facts={[rollupFact(rollup), ['Meaning', shown(help)]]} />
            {parameters.length > 0 && <ParameterForm path={path} parameters={parameters} given={given} />}
            {parameters.every((each) => !isRequired(each) || given.has(each.name)) && (
              <NodeAnswer
                rollup={rollup}
                path={encodeURIComponent(url.replace('/v1/', ''))}
                title="Answer"
                query={Object.fromEntries(given)}
              />
            )}
          </>
        );
      }}
    />
  );
}

interface ParameterFormProps {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly given: URLSearchParams;
}

/** Leads to the address with the values. */
function ParameterForm({ path, parameters, given }: ParameterFormProps) {
  const form = useId();
  const open = (of: HTMLFormElement) => {
    const values = [...new FormData(of)].map(([name, value]) => [name, String(value)]);
    location.hash = `${path}/${new URLSearchParams(values.filter(([, value]) => value !== ''))}`;
  };
  return (
    <Form className="card" submit={open} aria-label="Parameters">
      {parameters.map((each) => {
        const { name, type, help, words, fallback = '' } = each;
        const id = `${form}-${name}`;
        const control = { id, name, required: isRequired(each), defaultValue: given.get(name) ?? '' };
        const hint = [help, type, !isRequired(each) && (fallback === '' ? 'may be empty' : `otherwise ${fallback}`)];
        const choices = type === 'bool' ? ['false', 'true'] : words;
        return (
          <Field key={name} id={id} label={shown(name)} hint={shown(hint.filter(Boolean).join('; '))}>
            {choices.length > 0 ? (
              <select {...control} aria-describedby={`${id}-hint`}>
                {['', ...choices].map((choice) => (
                  <option key={choice} value={choice}>
                    {shown(choice)}
                  </option>
                ))}
              </select>
            ) : (
              <input {...control} aria-describedby={`${id}-hint`} autoComplete="off" spellcheck={false} />
            )}
          </Field>
        );
      })}
      <button type="submit" className="small">
        Show
      </button>
    </Form>
  );
}

interface NodeAnswerProps {
  readonly rollup: string;
  readonly path: string;
  readonly title: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Shows any answer of a rollup about its state: its API defines the form; this page knows nothing of the rollup. */
export const NodeAnswer = ({ rollup, path, title, query = {} }: NodeAnswerProps) => (
  <section className="card" aria-label={shown(title)}>
    <h2>{shown(title)}</h2>
    <Loaded
      name={[rollup, path, ...Object.values(query)].join(' ')}
      load={() => askNode(rollup, path, query)}
      show={(answer) => (answer.isObject ? <Members of={answer} /> : <Member name="" member={answer} depth={0} />)}
    />
  </section>
);
