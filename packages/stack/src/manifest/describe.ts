import type { ManifestField } from './field.ts';
import { FIELDS } from './fields.ts';

/** The default of fields without one. */
export const REQUIRED = 'required';

/** Describes for people the value in force if the file states none. */
export function defaultText({ fallback, derived, optional }: ManifestField<unknown>): string {
  if (derived !== undefined) return derived.shown;
  if (fallback !== undefined) return `\`${fallback}\``;
  return optional ? 'none' : REQUIRED;
}

/** All keys of a manifest, as a Markdown table. */
export function describeManifest(): string {
  const rows = FIELDS.map(([, field]) => {
    const { path, rule, help, flag, variable } = field;
    const given = flag === undefined ? [] : [`\`--${flag}\``, `\`${variable}\``];
    return `| \`${path}\` | ${help} | ${rule.expects} | ${defaultText(field)} | ${given.join(', ')} |`;
  });
  return ['| key | meaning | value | default | flag, variable |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}
