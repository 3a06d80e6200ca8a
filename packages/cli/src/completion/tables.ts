import type { Choice, Kind, Place } from './tree.ts';

/** Tables that the scripts of all shells look up: patterns, and what they stand for. */
export interface Tables {
  /** `parent name` -> path. */
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** Kind -> `path --option`; a pattern that begins with `*` holds for every path. */
  readonly values: ReadonlyMap<Kind, readonly string[]>;
  /** Kind -> `path n` for the n-th argument, from 0; `path *` for any. */
  readonly arguments: ReadonlyMap<Kind, readonly string[]>;
  readonly commands: readonly (readonly [path: string, choices: readonly Choice[]])[];
  readonly options: readonly (readonly [path: string, choices: readonly Choice[]])[];
}

export function tablesOf(places: readonly Place[]): Tables {
  const named = places.filter(({ path }) => path !== '');
  return {
    children: new Map(named.map(({ path, aliases }) => [path, [path, ...aliases]])),
    values: valuePatterns(places),
    arguments: grouped(
      places.flatMap(({ path, arguments: kinds, variadic }) =>
        kinds.map((kind, index): [Kind, string] => [
          kind,
          `${path} ${variadic && index === kinds.length - 1 ? '*' : index}`,
        ]),
      ),
    ),
    commands: places.flatMap(({ path, commands }) => (commands.length === 0 ? [] : [[path, commands] as const])),
    options: places.map(({ path, options }) => [path, options] as const),
  };
}

/** One pattern for an option that means the same wherever it is, which is nearly all of them. */
function valuePatterns(places: readonly Place[]): Map<Kind, string[]> {
  const kindsOf = new Map<string, Set<Kind | undefined>>();
  for (const { options, values } of places) {
    for (const { word } of options) kindsOf.set(word, (kindsOf.get(word) ?? new Set()).add(values.get(word)));
  }
  const everywhere = [...kindsOf].flatMap(([flag, kinds]): [Kind, string][] => {
    const [kind] = kinds;
    return kinds.size === 1 && kind !== undefined ? [[kind, `* ${flag}`]] : [];
  });
  const here = places.flatMap(({ path, values }) =>
    [...values].flatMap(([flag, kind]): [Kind, string][] =>
      (kindsOf.get(flag)?.size ?? 0) > 1 ? [[kind, `${path} ${flag}`]] : [],
    ),
  );
  return grouped([...everywhere, ...here]);
}

function grouped(pairs: readonly (readonly [Kind, string])[]): Map<Kind, string[]> {
  const groups = new Map<Kind, string[]>();
  for (const [kind, pattern] of pairs) groups.set(kind, [...(groups.get(kind) ?? []), pattern]);
  return groups;
}
