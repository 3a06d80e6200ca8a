import { contractApi, httpApi } from '@switchyard/client/http-api';
import { explorer } from '@switchyard/explorer/contract';
import { programOf, rollupBuiltin } from '../dev/config/entry.ts';
import { FIELDS } from '../dev/config/known-settings.ts';
import { isRemote, withRole } from '../dev/config/roles.ts';
import { settingOf } from '../dev/config/settings.ts';
import type { InstancePaths } from '../dev/instance/home.ts';
import { type Instance, readInstance } from '../dev/instance/instance.ts';
import { isOnThisMachine } from '../dev/instance/network-layer.ts';
import { currentRun } from '../dev/instance/run-file.ts';
import { urlOfListener } from '../dev/networks/listener-url.ts';
import { messengerUrlOf } from '../dev/networks/messenger.ts';
import { Failure } from '../failure.ts';

/** The network of the instance that runs, else its network local. @throws {Failure} */
export function targetOf(paths: InstancePaths, env: NodeJS.ProcessEnv): Instance {
  return readInstance(paths, currentRun(paths)?.network ?? 'local', env);
}

/** @throws {Failure} where the sequencer or the messenger of the network is not one of this machine's. */
export function requireLocal(instance: Instance): void {
  const { network, paths } = instance;
  const urls = [network.sequencerRpc, messengerUrlOf(instance)].filter((url) => url !== undefined);
  if (!isRemote(network) && urls.every(isOnThisMachine)) return;
  throw new Failure(
    `instance ${paths.name}: expected a network whose sequencer and messenger run on this machine, got network ${network.name}: submit with \`rollup-cli submit\` and a key of your own`,
  );
}

/** The way of a transaction as the explorer of the network shows it; `undefined` where the network has none. */
export async function explorerTrace(instance: Instance, hash: string): Promise<unknown> {
  const entry = instance.network.services.find((each) => programOf(each) === 'explorer');
  if (entry === undefined) return undefined;
  const { listenAddr } = FIELDS.explorer;
  const url = urlOfListener(settingOf(instance, entry, listenAddr) ?? listenAddr.fallback ?? '');
  return contractApi(httpApi('explorer', { url }))(explorer.getTrace, { hash });
}

/** The rollups of ours that the network has. */
export function rollupsOf({ network }: Instance): ReadonlySet<'messenger' | 'evm' | undefined> {
  return new Set(withRole(network, 'rollup').map(rollupBuiltin));
}
