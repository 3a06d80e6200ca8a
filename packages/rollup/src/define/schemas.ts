import type { RollupDefinition } from '../app/definition.ts';
import type { Contract } from './contract.ts';
import { compareDefinitions, type Difference, differenceLine } from './differences.ts';
import type { DefinitionDocument, NamedDescription } from './document.ts';

type Schemas = NonNullable<RollupDefinition['schemas']>;

/** The document of a definition, and its comparison with that of stored data. */
export function toSchemas({ document }: Pick<Contract, 'document'>): Schemas {
  return {
    document: JSON.stringify(document),
    laterMembers: laterMembers(document).map(({ name }) => name),
    changes(stored, soft) {
      const { differences } = compareDefinitions(JSON.parse(stored), document, soft);
      // Parts that have to go first: the others may be well without them.
      const kind = (['refused', 'lost', 'open'] as const).find((each) =>
        differences.some((found) => found.kind === each),
      );
      const found = differences.filter((each) => each.kind === kind);
      const advice = found[0] && adviceOn(found[0], soft);
      return advice === undefined ? undefined : { change: found.map(differenceLine).join('; '), advice };
    },
  };
}

/** Members of the genesis that begin at a block, with it. */
export function laterMembers({ genesis }: DefinitionDocument): readonly NamedDescription[] {
  return genesis.filter(({ from, before }) => from !== undefined && before === undefined);
}

/** @returns undefined if there is nothing to do. */
export function adviceOn({ kind }: Difference, soft: bigint): string | undefined {
  switch (kind) {
    case 'planned':
      return undefined;
    case 'open':
      return `give it a block after ${soft}: since(block, type, type before) for a type, from: block for an action or a table`;
    case 'lost':
      return 'put the block back';
    case 'refused':
      return 'put it back, raise the version for another chain, or reset the state to start over';
  }
}
