import type { AnyTable } from './table.ts';

interface Handlers {
  readonly name: string;
  readonly actions: Readonly<Record<string, object>>;
  readonly queries?: Readonly<Record<string, object>>;
  readonly migrations?: readonly object[];
  readonly tables?: readonly AnyTable[];
}

/** @throws {Error} naming a handler that is async or a generator: its work would come after the block, or never. */
export function mustBeSynchronous(definition: Handlers): void {
  const { name, actions, queries = {}, migrations = [], tables = [] } = definition;
  const parts: readonly (readonly [string, object])[] = [
    ['', definition],
    ...Object.entries(actions).map(([each, item]) => [`action "${each}": `, item] as const),
    ...Object.entries(queries).map(([each, item]) => [`query "${each}": `, item] as const),
    ...migrations.map((item, at) => [`migrations[${at}]: `, item] as const),
    ...tables.flatMap((table) =>
      Object.entries(table.indexes).map(([each, item]) => [`table ${table.name}: index ${each}: `, item] as const),
    ),
  ];
  for (const [place, part] of parts) {
    for (const [member, value] of Object.entries(part)) {
      if (typeof value !== 'function' || value.constructor.name === 'Function') continue;
      throw new Error(
        `rollup "${name}": ${place}${member}: expected a function that is over when it returns, got ${value.constructor.name}`,
      );
    }
  }
}
