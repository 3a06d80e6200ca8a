import { Input, InvalidData, type Problem, unexpected } from '@switchyard/service/input';
import { didYouMean } from '@switchyard/service/settings';
import { parseYaml } from './document.ts';
import type { ManifestField, TextOf } from './field.ts';
import { FIELDS, type Manifest, type ManifestKey } from './fields.ts';
import { translated } from './old-spellings.ts';
import { problemsTogether } from './together.ts';

/** A manifest, and how it came about. */
export interface ReadManifest {
  readonly manifest: Manifest;
  /** The keys whose values the file does not state. */
  readonly defaults: ReadonlySet<ManifestKey>;
  /** Values that were read differently from how they stand in the file. */
  readonly notes: readonly string[];
}

const MAX_PROBLEMS = 50;

/** @throws {InvalidData} with every mistake, each as `path: expected ..., got ...`. */
export function readManifest(text: string): ReadManifest {
  const { value, notes } = translated(parseYaml(text).value);
  const found = new Map<string, Input>();
  const problems: Problem[] = [];
  if (typeof value === 'object' && !Array.isArray(value)) collect(new Input(value, ''), '', found, problems);
  else if (value !== '') throw new InvalidData('expected sections such as global and config, got something else');
  const { manifest, defaults } = toValues(found, problems);
  if (problems.length === 0) problems.push(...problemsTogether(manifest));
  if (problems.length > 0) throw new InvalidData(problems.slice(0, MAX_PROBLEMS));
  return { manifest, defaults, notes };
}

/** Every value by its path; any other key is a problem. */
function collect(section: Input, path: string, found: Map<string, Input>, problems: Problem[]): void {
  for (const [key, member] of section.members()) {
    const at = path === '' ? key : `${path}.${key}`;
    const below = FIELDS.map(([, field]) => field.path).filter((each) => each.startsWith(`${at}.`));
    if (FIELDS.some(([, field]) => field.path === at)) {
      if (member.value !== '') found.set(at, member);
    } else if (below.length > 0 && member.isObject) collect(member, at, found, problems);
    else if (below.length > 0) {
      if (member.value !== '')
        problems.push(unexpected(at, `a section with ${namesBelow(at).join(', ')}`, 'something else'));
    } else problems.push(unknownKey(at, path, key));
  }
}

function unknownKey(at: string, path: string, key: string): Problem {
  const shown = at.slice(0, 200);
  if (/private_?key/i.test(key))
    return {
      path: shown,
      message: 'keys do not belong in a manifest: delete the line, and give them to `rollup deployment create`',
    };
  const names = namesBelow(path);
  return { path: shown, message: `no such key; expected one of ${names.join(', ')}${didYouMean(key, names)}` };
}

/** The keys that a section may have. */
function namesBelow(path: string): string[] {
  const prefix = path === '' ? '' : `${path}.`;
  const names = FIELDS.filter(([, field]) => field.path.startsWith(prefix)).map(
    ([, field]) => field.path.slice(prefix.length).split('.')[0] ?? '',
  );
  return [...new Set(names)];
}

function toValues(found: ReadonlyMap<string, Input>, problems: Problem[]) {
  const texts = new Map<string, string>();
  const toText: TextOf = (path) => texts.get(path);
  const values: Record<string, unknown> = {};
  const defaults = new Set<ManifestKey>();
  for (const [key, field] of FIELDS) {
    const written = found.get(field.path);
    // The kind stands above the keys that depend on it; a wrong one is a problem already.
    if (field.only !== undefined && field.only !== values.kind) {
      if (written !== undefined && values.kind !== undefined)
        problems.push(unexpected(field.path, `nothing, since config.rollup.kind is ${values.kind}`, 'a value'));
      defaults.add(key);
      values[key] = field.otherwise ?? readFallback(field);
      continue;
    }
    const fallback = written === undefined ? (field.fallback ?? field.derived?.from(toText)) : undefined;
    const input =
      written ?? (fallback === undefined ? undefined : new Input(field.rule.fromText(fallback), field.path));
    if (written === undefined) defaults.add(key);
    if (input === undefined) {
      // A value that is derived from a wrong one is not missing.
      if (!field.optional && field.derived === undefined)
        problems.push(unexpected(field.path, field.rule.expects, 'nothing'));
      continue;
    }
    try {
      values[key] = field.rule.read(input);
      if (typeof input.value === 'string') texts.set(field.path, input.value);
    } catch (error) {
      if (!(error instanceof InvalidData)) throw error;
      problems.push(...error.problems);
    }
  }
  // Each key has the value that its own rule read, or there is a problem and it is not returned.
  return { manifest: values as Manifest, defaults };
}

function readFallback({ fallback, rule, path }: ManifestField<unknown>): unknown {
  return fallback === undefined ? undefined : rule.read(new Input(rule.fromText(fallback), path));
}

/** A value from the text of a flag or a variable, by the rule of its field. @throws {InvalidData} that begins with `name`. */
export function readFieldText(field: ManifestField<unknown>, text: string, name: string): unknown {
  return field.rule.read(new Input(field.rule.fromText(text), name));
}

/** The field at a path. @throws {InvalidData} naming the nearest one. */
export function fieldAt(path: string): ManifestField<unknown> {
  const field = FIELDS.map(([, each]) => each).find((each) => each.path === path);
  if (field !== undefined) return field;
  const paths = FIELDS.map(([, each]) => each.path);
  throw new InvalidData(
    `no such key ${JSON.stringify(path.slice(0, 100))}${didYouMean(path, paths)}; \`rollup config show\` lists all`,
  );
}
