import { existsSync } from 'node:fs';
import type { Cli } from '../../cli.ts';
import { NETWORK } from '../../deployments/local/files.ts';
import { deploymentsHome, placeOf } from '../../deployments/local/place.ts';
import { targetOf } from '../../target.ts';
import { bridgesIn } from '../accounts/state.ts';
import { rollupBuiltin } from '../config/entry.ts';
import { withRole } from '../config/roles.ts';
import { parseJson, readText } from '../files/files.ts';
import { valueAt } from '../files/toml.ts';
import { instanceNames } from '../instance/home.ts';
import { type Instance, readInstance } from '../instance/instance.ts';
import { placesOf } from '../instance/network-places.ts';
import type { InstanceChoice } from '../instance/which.ts';
import { evmRollupIn } from './evm-rollup.ts';

/**
 * Names, as the sequencer has them, of the rollups of this machine that credit deposits of a bridge account: those of the instance
 * that a command means, and those that were deployed here.
 *
 * @param rpc CometBFT RPC of the sequencer.
 */
export async function rollupsCrediting(
  bridge: string,
  rpc: string,
  choice: InstanceChoice,
  cli: Cli,
): Promise<readonly string[]> {
  const { env } = cli.world;
  const root = deploymentsHome(choice.home, env);
  const open = [
    async () => (await targetOf(choice, { ...cli, note: () => {} }, () => true))?.instance,
    ...instanceNames(root).map((name) => async () => readInstance(placeOf(root, name), NETWORK, env)),
  ];
  // One that cannot be read has no say about deposits.
  const found = await Promise.all(open.map((read) => read().catch(() => undefined)));
  const isAt = ({ network }: Instance) => network.sequencerRpc.replace(/\/+$/, '') === rpc;
  return found.flatMap((instance) => (instance !== undefined && isAt(instance) ? creditedIn(instance, bridge) : []));
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
