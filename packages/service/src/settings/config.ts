import type { Env, Schema } from '../input/schema.ts';

/** One setting: its name, the reader of its text, and its purpose. */
export interface Field<T> {
  /** The first is the name shown to people; the others are read too, in this order. */
  readonly names: readonly [string, ...string[]];
  readonly parser: Schema<T>;
  readonly help: string;
  /** Text used if nothing is set, read by the same schema. */
  readonly fallback: string | undefined;
}

// The types of a table's values differ, and nothing here looks at them: `unknown` in the output position accepts all.
export type FieldTable = Readonly<Record<string, Field<unknown>>>;

/** Values that `loadConfig` returns for a table. */
export type ConfigOf<F extends FieldTable> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

export interface FieldOptions {
  readonly help: string;
  readonly fallback?: string;
}

/** Declares one setting. */
export function field<T>(
  name: string | readonly [string, ...string[]],
  parser: Schema<T>,
  { help, fallback }: FieldOptions,
): Field<T> {
  return { names: typeof name === 'string' ? [name] : name, parser, help, fallback };
}

/** One thing that is wrong with the settings. `got` is absent if the variable is not set or its value is secret. */
export interface ConfigProblem {
  readonly variable: string;
  readonly expected: string;
  readonly got?: string;
  readonly advice: string;
}

/** The settings of a process do not make a configuration. Every problem is listed, not only the first. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: ConfigProblem | readonly ConfigProblem[]) {
    const all = [problems].flat();
    super(all.map(problemLine).join('\n'));
    this.problems = all;
  }
}

/** `variable: expected ..., got ...; advice` */
export function problemLine({ variable, expected, got, advice }: ConfigProblem): string {
  const seen = got === undefined ? '' : `, got ${got}`;
  return `${variable}: expected ${expected}${seen}; ${advice}`;
}

/**
 * Reads every field from the environment. Variables that no field names are ignored. Names are matched regardless of
 * letter case (the exact name wins), and `SVC_X` may also be written `ASTRIA_X`.
 *
 * @throws {InvalidConfig} naming every missing or malformed variable at once.
 */
export function loadConfig<F extends FieldTable>(fields: F, env: Env): ConfigOf<F> {
  const look = lookup(env);
  const problems: ConfigProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(fields)) {
    const result = readField(each, look, env);
    if ('problem' in result) problems.push(result.problem);
    else values[key] = result.value;
  }
  if (problems.length > 0) throw new InvalidConfig(problems);
  // Built key by key from the same table that the type is computed from.
  return values as ConfigOf<F>;
}

/** The reference of a table, as a Markdown table in the order of the fields. */
export function describeFields(fields: FieldTable): string {
  const rows = Object.values(fields).map(({ names, parser, help, fallback }) => {
    const standard = fallback !== undefined ? `\`${fallback}\`` : parser.isOptional ? 'optional' : 'required';
    const cells = [`\`${names[0]}\``, parser.expects, standard, help].map((cell) => cell.replaceAll('|', '\\|'));
    return `| ${cells.join(' | ')} |`.replaceAll('\n', ' ');
  });
  return ['| variable | value | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

type Lookup = (name: string) => { readonly name: string; readonly text: string } | undefined;

function lookup(env: Env): Lookup {
  const folded = new Map<string, { name: string; text: string }>();
  for (const [name, text] of Object.entries(env)) {
    if (text === undefined) continue;
    const key = name.toUpperCase();
    if (name === key || !folded.has(key)) folded.set(key, { name, text });
  }
  return (name) => {
    const exact = env[name];
    if (exact !== undefined) return { name, text: exact };
    const key = name.toUpperCase();
    return folded.get(key) ?? (key.startsWith('SVC_') ? folded.get(`ASTRIA_${key.slice(4)}`) : undefined);
  };
}

type FieldResult = { readonly value: unknown } | { readonly problem: ConfigProblem };

function readField({ names, parser, fallback }: Field<unknown>, look: Lookup, env: Env): FieldResult {
  const found = names.map(look).find((each) => each !== undefined);
  const set = found === undefined ? undefined : unquote(found.text);
  if (parser.isOptional && (set === undefined || set === '') && fallback === undefined) return { value: undefined };
  const text = set ?? fallback;
  const variable = found?.name ?? names[0];
  if (text === undefined) {
    return {
      problem: {
        variable,
        expected: parser.expects,
        got: 'nothing',
        advice: `set it, for example ${variable}=${parser.example}`,
      },
    };
  }
  const value = attempt(parser, text, env);
  if (value !== undefined) return { value };
  const problem = {
    variable,
    expected: parser.expects,
    advice: `correct it, for example ${variable}=${parser.example}`,
  };
  return { problem: parser.isSecret ? problem : { ...problem, got: quote(text) } };
}

/** A schema that throws is treated as returning undefined: its message might hold a secret. */
function attempt(schema: Schema<unknown>, text: string, env: Env): unknown {
  try {
    return schema.fromText(text, env);
  } catch {
    return undefined;
  }
}

/** Environment files often keep the quotes around a value. */
function unquote(text: string): string {
  const trimmed = text.trim();
  return /^"[^"]*"$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
