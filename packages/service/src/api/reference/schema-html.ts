import { html } from 'hono/html';
import { componentOf, type Json } from './document.ts';
import { type Html, prose } from './html.ts';

/* A schema for people: its type in words, then its constraints, then its members. */

/** Keywords that the words of the type and the list of members show. */
const SHOWN = new Set(
  ['type', 'items', 'anyOf', 'oneOf', 'enum', '$ref', 'description', 'properties', 'required'].concat(
    ...['additionalProperties', 'deprecated', 'examples', 'default', 'contentMediaType'],
  ),
);

export function schemaHtml(schema: Json): Html {
  return html`${typeHtml(schema)}${constraintsHtml(schema)}${described(schema)}${membersHtml(schema)}`;
}

/** A schema under its own name, of which a list of members is clear without further words. */
export function componentHtml(schema: Json): Html {
  return isJson(schema.properties) ? html`${described(schema)}${membersHtml(schema)}` : schemaHtml(schema);
}

/** Such as `list of Block`, or `text or null`. */
export function typeHtml(schema: Json): Html {
  const name = componentOf(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const { items, anyOf, oneOf, enum: words, type } = schema;
  if (isJson(items)) return html`list of ${typeHtml(items)}`;
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) {
    return html`${union.map((each: Json, index) => html`${index === 0 ? '' : ' or '}${typeHtml(each)}`)}`;
  }
  if (Array.isArray(words)) {
    return html`${words.map((word, index) => html`${index === 0 ? '' : ' or '}<code>${JSON.stringify(word)}</code>`)}`;
  }
  return html`<span class="type">${wordsOf(type)}</span>`;
}

function wordsOf(type: unknown): string {
  if (Array.isArray(type)) return type.map(wordsOf).join(' or ');
  const words: Readonly<Record<string, string>> = { string: 'text', array: 'list' };
  return typeof type === 'string' ? (words[type] ?? type) : 'any JSON';
}

/** Facts such as bounds and patterns, those of all forms of a value. */
export function constraintsHtml(schema: Json): Html {
  const facts = constraintsOf(schema);
  return html`${facts.map(([name, value]) => html` <small class="fact">${name} <code>${value}</code></small>`)}`;
}

function constraintsOf(schema: Json): readonly (readonly [name: string, value: string])[] {
  const forms = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  const ofForms = (forms as readonly Json[]).flatMap(constraintsOf);
  const ofItems = isJson(schema.items) ? constraintsOf(schema.items) : [];
  const { minimum, maximum, default: fallback, examples } = schema;
  const own = Object.entries(schema)
    .filter(([name]) => !SHOWN.has(name) && name !== 'minimum' && name !== 'maximum')
    .map(([name, value]) => [spelled(name), plain(value)] as const);
  return [
    ...(minimum === undefined && maximum === undefined ? [] : [rangeOf(minimum, maximum)]),
    ...own,
    ...(fallback === undefined ? [] : [['default', plain(fallback)] as const]),
    ...(Array.isArray(examples) && examples.length > 0 ? [['such as', plain(examples[0])] as const] : []),
    ...ofForms,
    ...ofItems,
  ];
}

function rangeOf(minimum: unknown, maximum: unknown): readonly [string, string] {
  if (maximum === undefined || maximum === Number.MAX_SAFE_INTEGER) return ['from', plain(minimum)];
  return minimum === undefined ? ['up to', plain(maximum)] : ['between', `${plain(minimum)} and ${plain(maximum)}`];
}

/** `maxItems` as `max items`. */
const spelled = (keyword: string) => keyword.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function described({ description }: Json): Html {
  return typeof description === 'string' ? html`<p>${prose(description)}</p>` : html``;
}

function membersHtml(schema: Json): Html {
  const { properties, required = [], items, anyOf, oneOf } = schema;
  if (isJson(items)) return membersHtml(items);
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) return html`${union.map((each: Json) => membersHtml(each))}`;
  if (!isJson(properties)) return html``;
  const needed = required as readonly string[];
  const members = Object.entries(properties).map(
    ([name, each]) =>
      html`<li><code class="name">${name}</code> ${needed.includes(name) ? '' : html`<small class="tag">optional</small> `}${schemaHtml(each as Json)}</li>`,
  );
  return html`<ul class="members">${members}</ul>`;
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
