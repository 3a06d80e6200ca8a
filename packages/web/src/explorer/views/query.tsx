import { type Input, object } from '@switchyard/client/http-api';
import { useId } from 'react';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { shown } from '../../ui/shown.ts';
import { askNode } from '../api.ts';
import { Loaded } from '../parts/answer.tsx';
import { Card } from '../parts/layout.tsx';
import type { PageProps } from '../route.ts';
import { elements, word } from '../word.ts';
import { type Kind, PartPage } from './defined.tsx';
import { AnyValue } from './members.tsx';

/* Queries of any rollup, by the definition that its node has. */

const parameter = object({
  ...{ name: word, type: word, help: word, words: (input: Input) => elements(input).map(word) },
  fallback: (input) => (input.isPresent ? word(input) : undefined),
});
type Parameter = ReturnType<typeof parameter>;
const isRequired = ({ type, fallback }: Parameter): boolean => fallback === undefined && type !== 'option';

const query = object({ name: word, help: word, url: word, parameters: (input) => elements(input).map(parameter) });

export const QUERIES: Kind<ReturnType<typeof query>> = {
  ...{ part: 'queries', title: 'Queries', one: 'Query' },
  ...{ read: query, columns: [] },
};

/** A query with a form for its parameters. */
export const QueryPage = (page: PageProps) => (
  <PartPage
    key={page.route.path}
    {...page}
    kind={QUERIES}
    show={({ url, parameters }, path, given) => (
      <>
        {parameters.length > 0 && <ParameterForm path={path} parameters={parameters} given={given} />}
        {parameters.every((each) => !isRequired(each) || given.has(each.name)) && (
          <NodeAnswer
            rollup={page.rollup}
            path={encodeURIComponent(url.replace('/v1/', ''))}
            title="Answer"
            query={Object.fromEntries(given)}
          />
        )}
      </>
    )}
  />
);

interface ParameterFormProps {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly given: URLSearchParams;
}

/** Leads to the address with the values. */
export function ParameterForm({ path, parameters, given }: ParameterFormProps) {
  const form = useId();
  const open = (item: HTMLFormElement) => {
    const values = [...new FormData(item)].map(([name, value]) => [name, String(value)]);
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
  <Card title={shown(title)}>
    <Loaded
      name={[rollup, path, ...Object.values(query)].join(' ')}
      load={() => askNode(rollup, path, query)}
      show={(answer) => <AnyValue of={answer} />}
    />
  </Card>
);
