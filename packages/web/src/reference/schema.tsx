import { Fragment, type ReactNode } from 'react';
import { Badge } from '../ui/badge.tsx';
import { componentName, isJson, type Json } from './document.ts';
import { Prose } from './prose.tsx';

/* A schema for people: its type in words, then its constraints, then its members. */

/** Keywords that the words of the type and the list of members show. */
const SHOWN = new Set(
  ['type', 'items', 'anyOf', 'oneOf', 'enum', '$ref', 'description', 'properties', 'required'].concat(
    ...['additionalProperties', 'deprecated', 'examples', 'default', 'contentMediaType', 'minimum', 'maximum'],
  ),
);

interface SchemaProps {
  readonly schema: Json;
}

/** A list of members is clear without the word for its type. */
export function Schema({ schema }: SchemaProps) {
  return (
    <>
      {!isJson(schema.properties) && <Type schema={schema} />}
      <Constraints schema={schema} />
      <Description schema={schema} />
      <Members schema={schema} />
    </>
  );
}

/** Such as `list of Block`, or `text or null`. */
function Type({ schema }: SchemaProps) {
  const name = componentName(schema);
  if (name !== undefined) return <a href={`#schema-${name}`}>{name}</a>;
  const { items, enum: words, type } = schema;
  if (isJson(items)) {
    return (
      <>
        list of <Type schema={items} />
      </>
    );
  }
  const forms = alternatives(schema);
  if (forms !== undefined) return joined(forms.map((each) => <Type key={0} schema={each} />));
  if (Array.isArray(words)) return joined(words.map((word) => <code key={0}>{JSON.stringify(word)}</code>));
  return <span className="quiet type">{typeInWords(type)}</span>;
}

const alternatives = ({ anyOf, oneOf }: Json): readonly Json[] | undefined => [anyOf, oneOf].find(Array.isArray);

const joined = (parts: readonly ReactNode[]) =>
  parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a type are known by their position
    <Fragment key={at}>
      {at > 0 && ' or '}
      {part}
    </Fragment>
  ));

function typeInWords(type: unknown): string {
  if (Array.isArray(type)) return type.map(typeInWords).join(' or ');
  const words: Readonly<Record<string, string>> = { string: 'text', array: 'list' };
  return typeof type === 'string' ? (words[type] ?? type) : 'any JSON';
}

/** Facts such as bounds and patterns, of all forms of a value. */
function Constraints({ schema }: SchemaProps) {
  return constraints(schema).map(([name, value], at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a fact is known by its position
    <small key={at}>
      {name} <code>{value}</code>
    </small>
  ));
}

function constraints(schema: Json): readonly (readonly [name: string, value: string])[] {
  const { minimum, maximum, default: fallback, examples, items } = schema;
  const own = Object.entries(schema).filter(([name]) => !SHOWN.has(name));
  return [
    ...(minimum === undefined && maximum === undefined ? [] : [range(minimum, maximum)]),
    ...own.map(([name, value]) => [spelled(name), plain(value)] as const),
    ...(fallback === undefined ? [] : [['default', plain(fallback)] as const]),
    ...(Array.isArray(examples) && examples.length > 0 ? [['such as', plain(examples[0])] as const] : []),
    ...(alternatives(schema) ?? []).flatMap(constraints),
    ...(isJson(items) ? constraints(items) : []),
  ];
}

function range(minimum: unknown, maximum: unknown): readonly [string, string] {
  if (maximum === undefined || maximum === Number.MAX_SAFE_INTEGER) return ['from', plain(minimum)];
  return minimum === undefined ? ['up to', plain(maximum)] : ['between', `${plain(minimum)} and ${plain(maximum)}`];
}

/** `maxItems` as `max items`. */
const spelled = (keyword: string) => keyword.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const Description = ({ schema: { description } }: SchemaProps) =>
  typeof description === 'string' && (
    <p>
      <Prose text={description} />
    </p>
  );

function Members({ schema }: SchemaProps): ReactNode {
  const { properties, required = [], items } = schema;
  if (isJson(items)) return <Members schema={items} />;
  const forms = alternatives(schema);
  // biome-ignore lint/suspicious/noArrayIndexKey: forms are known by their position
  if (forms !== undefined) return forms.map((each, at) => <Members key={at} schema={each} />);
  if (!isJson(properties)) return null;
  const needed = required as readonly string[];
  return (
    <ul className="members">
      {Object.entries(properties).map(([name, each]) => (
        <li key={name}>
          <code>{name}</code> {!needed.includes(name) && <Badge>optional</Badge>} <Schema schema={each as Json} />
        </li>
      ))}
    </ul>
  );
}
