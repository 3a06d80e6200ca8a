import type { DefinedRollup } from '@switchyard/rollup';
import { clientOf, type DefinitionClient } from '@switchyard/rollup/client';
import type { Actions, Events, Parameters, Queries } from '@switchyard/rollup/internal';
import { type ProcessOptions, rollupProcess } from '@switchyard/rollup/node';
import { toJson } from '@switchyard/service';
import { Input, InvalidData, parseInput, snakeCase } from '@switchyard/service/input';
import { BadOptions } from './bad-options.ts';
import { type Rollup, type RollupFacts, rollup } from './rollups.ts';

export interface DefinedOptions extends ProcessOptions {
  /** Takes the place of the process of the definition. */
  readonly process?: ReturnType<typeof rollupProcess>;
}

/**
 * A rollup by schemas for `localNetwork`, with the client of its definition.
 *
 * @param genesisText Text of its genesis file, whose name the rollup has. Chain id and bridge account of the network take the place of
 * those that the file states, so that one file is for every network.
 * @throws {BadOptions} in one line, where the text is no genesis.
 */
export function definedRollup<G extends Parameters, A extends Actions, Q extends Queries, E extends Events>(
  defined: DefinedRollup<G, A, Q, E>,
  genesisText: string,
  { pages, process = rollupProcess(defined, { pages }) }: DefinedOptions = {},
): Rollup<string, DefinitionClient<A, Q, E>> {
  const stated = statedIn(genesisText);
  const made = rollup({
    ...{ name: stated.name, process, genesis: (facts) => genesisFor(stated, facts) },
    client: ({ url, fetch }): DefinitionClient<A, Q, E> => clientOf(defined, { url, fetch }),
  });
  return { ...made, defined: { definition: defined, takesDeposits: stated.bridges.length > 0 } };
}

/** Members of a genesis file, and those that depend on the network. */
interface Stated {
  readonly name: string;
  readonly members: Readonly<Record<string, unknown>>;
  readonly bridges: readonly Input[];
  readonly withdrawals: readonly Input[];
}

/** @throws {BadOptions} in one line, where the text is no genesis. */
export function statedIn(genesisText: string): Stated {
  try {
    // A file may have its keys in lowerCamelCase, as the node reads it.
    const keys = Object.entries(parseInput(genesisText, 'genesis').object());
    const file = new Input(Object.fromEntries(keys.map(([key, value]) => [snakeCase(key), value])), 'genesis');
    const one = (name: string): readonly Input[] => {
      const items = file.at(name).list();
      return items.length > 1 ? file.at(name).fail('at most one, since a local network has one bridge account') : items;
    };
    const [bridges, withdrawals] = [one('bridge_accounts'), one('withdrawals')];
    return { name: file.at('rollup_name').text(), members: file.object(), bridges, withdrawals };
  } catch (error) {
    if (error instanceof InvalidData) throw new BadOptions(error.message.replaceAll('\n', '; '), { cause: error });
    throw error;
  }
}

function genesisFor({ members, bridges, withdrawals }: Stated, { chainId, bridge }: RollupFacts): string {
  const account = { bech32m: bridge };
  return toJson({
    ...{ ...members, sequencer_chain_id: chainId },
    ...(bridges.length > 0 && { bridge_accounts: [account] }),
    ...(withdrawals.length > 0 && {
      withdrawals: withdrawals.map((rule) => ({ ...rule.object(), bridge_account: account })),
    }),
  });
}
