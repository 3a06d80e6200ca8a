import type { RollupKind } from './kind.ts';
import type { Rule } from './rule.ts';

/** The text of another field, by its path; undefined if there is none. */
export type TextOf = (path: string) => string | undefined;

/** One value of the manifest: its path, its possible values and its purpose. */
export interface ManifestField<T> extends FieldOptions<T> {
  /** Keys from the top of the file, with dots between them. */
  readonly path: string;
  readonly rule: Rule<T>;
  /** Whether there may be none. */
  readonly optional: boolean;
  /** Variable that `config create` reads if the flag is not given. */
  readonly variable: string | undefined;
  /** The kind of rollup whose manifests may have it; both, if absent. */
  readonly only?: RollupKind;
}

export interface FieldOptions<T> {
  readonly help: string;
  /** Text that is read if nothing is set. */
  readonly fallback?: string;
  /** Text that is made from other fields if nothing is set; `shown` describes it to people. */
  readonly derived?: { readonly shown: string; readonly from: (toText: TextOf) => string | undefined };
  /** Flag of `config create`, without the dashes. */
  readonly flag?: string;
  /** Whether new manifests contain the field even with its default value. */
  readonly isAlwaysWritten?: boolean;
  /** Value in manifests of the other kind, if it is not the default. */
  readonly otherwise?: NoInfer<T>;
}

/** A field that has a value in every manifest. */
export function field<T>(path: string, rule: Rule<T>, options: FieldOptions<T>): ManifestField<T> {
  const { flag } = options;
  return { ...options, path, rule, optional: false, variable: flag && toVariable(flag) };
}

/** `ROLLUP_` and the words of the flag, in the spelling of the reference. */
const toVariable = (flag: string) =>
  `ROLLUP_${flag
    .replace(/^rollup\./, '')
    .replace(/^da-node\./, 'da.')
    .replaceAll(/[.-]/g, '_')
    .toUpperCase()}`;

/** A field that may be absent. */
export function optionalField<T>(
  path: string,
  rule: Rule<T>,
  options: FieldOptions<undefined>,
): ManifestField<T | undefined> {
  // The rule is only applied if there is a value.
  return { ...field(path, rule as Rule<T | undefined>, options), optional: true };
}

export type ManifestTable = Readonly<Record<string, ManifestField<unknown>>>;

export function only<F extends ManifestTable>(kind: RollupKind, fields: F): F {
  const limited = Object.entries(fields).map(([key, each]) => [
    key,
    { ...each, only: kind, help: `${each.help} (kind ${kind})` },
  ]);
  // Keys and types stay.
  return Object.fromEntries(limited) as F;
}

export type ValuesOf<F extends ManifestTable> = {
  readonly [K in keyof F]: F[K] extends ManifestField<infer T> ? T : never;
};
