import { existsSync } from 'node:fs';
import type { Cli } from '../../cli.ts';
import { targetOf } from '../../target.ts';
import { bridgesIn } from '../accounts/state.ts';
import { rollupBuiltin } from '../config/entry.ts';
import { withRole } from '../config/roles.ts';
import { parseJson, readText } from '../files/files.ts';
import { valueAt } from '../files/toml.ts';
import type { Instance } from '../instance/instance.ts';
import { placesOf } from '../instance/network-places.ts';
import type { InstanceChoice } from '../instance/which.ts';
import { evmRollupIn } from './evm-rollup.ts';

/** Names, as the sequencer has them, of the rollups of an instance that credit deposits of a bridge account. */
export async function rollupsCrediting(bridge: string, choice: InstanceChoice, cli: Cli): Promise<readonly string[]> {
  const chosen = await targetOf(choice, cli, () => true);
  return chosen === undefined ? [] : creditedIn(chosen.instance, bridge);
}

function creditedIn(instance: Instance, bridge: string): string[] {
  const { network, paths } = instance;
  const { messengerGenesis } = placesOf(network.name, paths.networks, paths.directory);
  return withRole(network, 'rollup').flatMap((entry) => {
    const isEvm = rollupBuiltin(entry) === 'evm';
    const file = (isEvm ? evmRollupIn(instance)?.genesisFile : undefined) ?? messengerGenesis;
    if (!existsSync(file)) return [];
    const name = valueAt(
      parseJson(readText(file), file),
      isEvm ? ['config', 'switchyard', 'rollupName'] : ['rollup_name'],
    );
    const bridges = bridgesIn(file, isEvm ? ['config', 'switchyard', 'bridgeAddresses'] : ['bridge_accounts']);
    return typeof name === 'string' && bridges.includes(bridge) ? [name] : [];
  });
}
