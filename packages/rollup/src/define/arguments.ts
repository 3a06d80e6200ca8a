import { parseArgs } from 'node:util';
import { didYouMean } from '@switchyard/service';
import { Input, InvalidData, parseInput, snakeCase } from '@switchyard/service/input';
import type { Fields } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import { isRequired } from './client.ts';
import type { Parameter } from './document.ts';

/* Arguments of a command line, read by the types of a definition. */

/** An argument that cannot be used. The message is one line for its user. */
export class Misused extends Error {
  override readonly name = 'Misused';
}

/** An option and the word for its value; without such a word it has none. */
export interface Option {
  readonly name: string;
  readonly value: string;
  readonly help: string;
}

export interface Arguments {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

/** @throws {Misused} for an option that is not known, is there twice, or has no value. */
export function readArguments(args: readonly string[], options: readonly Option[]): Arguments {
  const known = new Map(options.map((option) => [option.name, option]));
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      options.map(({ name, value }) => [name, { type: value === '' ? 'boolean' : 'string' }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const found = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const option = known.get(token.name);
    if (option === undefined) {
      const names = [...known.keys()].map((name) => `--${name}`);
      throw new Misused(`unknown option ${token.rawName}${didYouMean(token.rawName, names)}`);
    }
    if (found.has(token.name)) throw new Misused(`${token.rawName}: expected it once, got it twice`);
    if (option.value !== '' && token.value === undefined)
      throw new Misused(`${token.rawName}: expected ${option.value}, got nothing`);
    if (option.value === '' && token.value !== undefined)
      throw new Misused(`${token.rawName}: expected no value, got one`);
    found.set(token.name, token.value ?? '');
  }
  return { words, options: found };
}

/** Options of values: in kebab case, and behind `field-` if an option of every command has the name. */
export function getOptions(
  parameters: Readonly<Record<string, Parameter>>,
  taken: readonly Option[],
): readonly (Option & { readonly of: string })[] {
  const names = new Set(taken.map(({ name }) => name));
  return Object.entries(parameters).map(([item, parameter]) => {
    const kebab = snakeCase(item).replaceAll('_', '-');
    const name = names.has(kebab) ? `field-${kebab}` : kebab;
    const { type } = parameter;
    const help = [type.help, isNeeded(parameter) ? '' : 'may be left out'].filter((part) => part !== '').join('; ');
    return { of: item, name, value: toWord(type), help };
  });
}

/** Fields of an action as parameters, all of which it needs. */
export function getParameters(fields: Fields): Readonly<Record<string, Parameter>> {
  return Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, { type }]));
}

/** The values of options. @throws {Misused} if one is missing or does not fit. */
export function getValues(
  parameters: Readonly<Record<string, Parameter>>,
  options: readonly (Option & { readonly of: string })[],
  given: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const places = new Map(options.map(({ of: item, name }) => [item, name]));
  const texts = [...places].flatMap(([item, name]) => {
    const text = given.get(name);
    return text === undefined ? [] : [[item, text] as const];
  });
  return readValues(parameters, new Map(texts), (item) => `--${places.get(item)}`);
}

/** Values of the texts of some parameters, and fallbacks of the others. @throws {Misused} */
export function readValues(
  parameters: Readonly<Record<string, Parameter>>,
  texts: ReadonlyMap<string, string>,
  getPlace: (parameter: string) => string = (name) => name,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(parameters).map(([name, parameter]) => {
    const { type, fallback } = parameter;
    const text = texts.get(name);
    if (text !== undefined) return [name, readValue(type, text, getPlace(name))];
    if (isNeeded(parameter)) throw new Misused(`${getPlace(name)}: expected ${toWord(type)}, got nothing`);
    return [name, fallback ?? type.absent()];
  });
  return Object.fromEntries(entries);
}

export function isNeeded(parameter: Parameter): boolean {
  return isRequired(parameter) && parameter.type.presence !== 'repeated';
}

const NESTED = new Set(['list', 'map', 'record', 'union']);

function readValue(type: Type<unknown>, text: string, where: string): unknown {
  try {
    return type.json(NESTED.has(getInner(type).type) ? parseInput(text, where) : new Input(text, where));
  } catch (error) {
    throw error instanceof InvalidData ? new Misused(error.message.replaceAll('\n', '; ')) : error;
  }
}

/** The values of a type that has few. */
export function findChoices(type: Type<unknown>): readonly string[] | undefined {
  const inner = getInner(type);
  if (inner.type === 'bool') return ['false', 'true'];
  // Made by `oneOf` alone.
  return inner.type === 'oneOf' ? (inner.words as readonly string[]) : undefined;
}

/** Description of the value, if it may be absent. */
function getInner({ description }: Type<unknown>): Type<unknown>['description'] {
  return description.type === 'option' ? (description.value as Type<unknown>['description']) : description;
}

export function toWord(type: Type<unknown>): string {
  const inner = getInner(type);
  if (NESTED.has(inner.type)) return `a ${inner.type} as JSON`;
  if (inner.type === 'oneOf') return `one of ${(inner.words as readonly string[]).join(', ')}`;
  return inner.type === 'bytes' ? 'bytes as hex' : `a value of type ${inner.type}`;
}
