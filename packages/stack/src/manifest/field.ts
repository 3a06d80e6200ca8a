import type { Rule } from './rule.ts';

/** The text of another field, by its path; undefined where there is none. */
export type TextOf = (path: string) => string | undefined;

/** One value of the manifest: where it stands, what it may be and what it is for. */
export interface ManifestField<T> {
  /** Keys from the top of the file, with dots between them. */
  readonly path: string;
  readonly rule: Rule<T>;
  readonly help: string;
  /** Whether there may be none. */
  readonly optional: boolean;
  /** Text that is read where nothing is set. */
  readonly fallback: string | undefined;
  /** Text that is made from other fields where nothing is set; `shown` describes it to people. */
  readonly derived: { readonly shown: string; readonly from: (textOf: TextOf) => string | undefined } | undefined;
  /** Flag of `config create`, without the dashes. */
  readonly flag: string | undefined;
  /** Variables that `config create` reads, the first one that is set. */
  readonly variables: readonly string[];
  /** Whether a new manifest has it even where it has its default. */
  readonly isAlwaysWritten: boolean;
}

export interface FieldOptions {
  readonly help: string;
  readonly fallback?: string;
  readonly derived?: NonNullable<ManifestField<unknown>['derived']>;
  readonly flag?: string;
  readonly variables?: readonly string[];
  readonly isAlwaysWritten?: boolean;
}

/** A field that has a value in every manifest. */
export function field<T>(path: string, rule: Rule<T>, options: FieldOptions): ManifestField<T> {
  const { help, fallback, derived, flag, variables = [], isAlwaysWritten = false } = options;
  return { path, rule, help, optional: false, fallback, derived, flag, variables, isAlwaysWritten };
}

/** A field that may be absent. */
export function optionalField<T>(path: string, rule: Rule<T>, options: FieldOptions): ManifestField<T | undefined> {
  // The rule is only asked where there is a value.
  return { ...field(path, rule as Rule<T | undefined>, options), optional: true };
}

export type ManifestTable = Readonly<Record<string, ManifestField<unknown>>>;

export type ValuesOf<F extends ManifestTable> = {
  readonly [K in keyof F]: F[K] extends ManifestField<infer T> ? T : never;
};
