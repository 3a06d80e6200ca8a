type Node = Readonly<Record<string, unknown>>;

/**
 * Paths of members of a value that its JSON Schema does not name, also if it allows others. Readers of ours ignore such members,
 * clients that are generated from a document refuse or drop them.
 *
 * @param components Schemas to which references lead, by name.
 */
export function undeclaredMembers(schema: Node, value: unknown, path: string, components: Node = {}): string[] {
  const below = (item: unknown, each: unknown, at = path) => undeclaredMembers(Object(item), each, at, components);
  const { $ref, anyOf, properties, items } = schema;
  if (typeof $ref === 'string') return below(components[$ref.split('/').at(-1) ?? ''], value);
  if (Array.isArray(anyOf)) return value === null ? [] : below(anyOf[0], value);
  if (Array.isArray(value)) return value.flatMap((each, index) => below(items, each, `${path}.${index}`));
  if (properties === undefined || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    Object.hasOwn(Object(properties), key)
      ? below(Reflect.get(Object(properties), key), each, `${path}.${key}`)
      : [`${path}.${key}`],
  );
}
