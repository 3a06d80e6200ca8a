import type { DefinedRollup } from '@switchyard/rollup';
import { clientOf, type DefinitionClient } from '@switchyard/rollup/client';
import type { Actions, AnyRollup, Events, Parameters, Queries } from '@switchyard/rollup/internal';
import { getGenesis, type ProcessOptions, rollupProcess } from '@switchyard/rollup/node';
import { InvalidConfig, toJson } from '@switchyard/service';
import { parseInput, snakeCase } from '@switchyard/service/input';
import { BadOptions } from './bad-options.ts';
import { type Rollup, type RollupFacts, rollup } from './rollups.ts';

/** Additions to the process of a definition. */
export interface DefinedOptions extends ProcessOptions {
  /** Takes the place of the process of the definition. */
  readonly process?: ReturnType<typeof rollupProcess>;
}

/**
 * A rollup by schemas for `localNetwork`, with the client of its definition. See the example of {@link localNetwork}.
 *
 * @param genesisText Text of its genesis file, whose name the rollup has. Chain id and bridge accounts of the network take the place of
 * the ones stated in the file, so that one file is for every network. A bridge account has the asset of its withdrawals.
 * @throws {BadOptions} in one line, if the text is no genesis.
 */
export function definedRollup<G extends Parameters, A extends Actions, Q extends Queries, E extends Events>(
  defined: DefinedRollup<G, A, Q, E>,
  genesisText: string,
  { pages, connectTo, process = rollupProcess(defined, { pages, connectTo }) }: DefinedOptions = {},
): Rollup<string, DefinitionClient<A, Q, E>> {
  const { name, takesDeposits, genesis } = statedIn(defined, genesisText);
  const made = rollup({
    ...{ name, process, genesis },
    client: ({ url, fetch }): DefinitionClient<A, Q, E> => clientOf(defined, { url, fetch }),
  });
  return { ...made, defined: { definition: defined, takesDeposits } };
}

/** Facts of a genesis file that a network needs, and the genesis in it. @throws {BadOptions} in one line, if the text is invalid. */
export function statedIn(defined: AnyRollup, genesisText: string) {
  const { rollupName: name, bridgeAccounts, withdrawals = [] } = parsed(defined, genesisText);
  // A file may have its keys in lowerCamelCase, as the node reads it.
  const keys = Object.entries(parseInput(genesisText, 'genesis').object());
  const members = Object.fromEntries(keys.map(([key, value]) => [snakeCase(key), value]));
  return {
    ...{ name, takesDeposits: bridgeAccounts.size > 0, paysWithdrawals: withdrawals.length > 0 },
    genesis({ chainId, nativeDenom, getBridge: bridgeOf }: RollupFacts): string {
      const account = (asset: string) => ({ bech32m: bridgeOf(asset) });
      const rules = withdrawals.map(({ asset, minimum }) => ({ bridge_account: account(asset), asset, minimum }));
      const accounts = rules.map((rule) => rule.bridge_account);
      // Accounts without withdrawals state no asset: theirs is the network's.
      if (bridgeAccounts.size > rules.length) accounts.push(account(nativeDenom));
      return toJson({ ...members, sequencer_chain_id: chainId, bridge_accounts: accounts, withdrawals: rules });
    },
  };
}

function parsed(defined: AnyRollup, genesisText: string) {
  try {
    return getGenesis(defined, genesisText, 'genesis');
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    throw new BadOptions(error.message.replaceAll('\n', '; '), { cause: error });
  }
}
