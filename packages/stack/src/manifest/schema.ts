import type { ManifestField } from './field.ts';
import { FIELDS } from './fields.ts';
import { readFieldText } from './read.ts';
import type { JsonSchema } from './rule.ts';

interface Section {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Record<string, unknown>;
  required?: string[];
}

/** A rule about the section of the rollup. */
const ofRollup = (rollup: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { config: { type: 'object', properties: { rollup: { type: 'object', ...rollup } } } },
});

const RULES_OF_KIND = {
  if: ofRollup({ properties: { kind: { const: 'defined' } }, required: ['kind'] }),
  else: ofRollup({ properties: { genesisAccounts: {} }, required: ['genesisAccounts'] }),
};

/** A JSON Schema of manifests, for editors. The reader refuses more: checksums, and contradictions. */
export function manifestSchema(): JsonSchema {
  const root = section();
  for (const [, field] of FIELDS) {
    const keys = field.path.split('.');
    const last = keys.pop() ?? '';
    const isRequired = !field.optional && !field.only && field.fallback === undefined && field.derived === undefined;
    let at = root;
    for (const key of keys) {
      if (isRequired) require(at, key);
      at.properties[key] ??= section();
      // Made by the line above, or by an earlier field of the same section.
      at = at.properties[key] as Section;
    }
    if (isRequired) require(at, last);
    at.properties[last] = property(field);
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Manifest of a rollup on Switchyard',
    ...root,
    ...RULES_OF_KIND,
  };
}

function section(): Section {
  return { type: 'object', additionalProperties: false, properties: {} };
}

function require(at: Section, key: string): void {
  at.required = [...new Set([...(at.required ?? []), key])];
}

function property(field: ManifestField<unknown>): JsonSchema {
  const { help, rule, fallback, derived } = field;
  const written = (text: string) => rule.written(readFieldText(field, text, field.path));
  const made = derived === undefined ? '' : ` Default: ${derived.shown.replaceAll('`', '')}.`;
  return {
    ...rule.schema,
    description: `${help}; ${rule.expects}.${made}`,
    ...(fallback === undefined ? { examples: [written(rule.example)] } : { default: written(fallback) }),
  };
}
