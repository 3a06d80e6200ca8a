import { FIELDS } from '../config/known-settings.ts';
import { withRole } from '../config/roles.ts';
import { findSetting } from '../config/settings.ts';
import type { InstancePaths } from '../instance/home.ts';
import { readInstance } from '../instance/instance.ts';

/** Values that clients of a network's sequencer need. */
export type Preset = Readonly<ReturnType<typeof networkPreset>>;

/**
 * Reads a network from the same file that runs it, so that there is one place for URLs, chain ids and assets.
 *
 * @throws {Failure} when there is no such instance or network.
 */
export function networkPreset(paths: InstancePaths, name: string, env: NodeJS.ProcessEnv) {
  const instance = readInstance(paths, name, env);
  const { network } = instance;
  const [composer] = withRole(network, 'composer');
  return {
    network: network.name,
    rpc: network.sequencerRpc,
    chainId: network.sequencerChainId,
    asset: network.nativeDenom,
    feeAsset: (composer && findSetting(instance, composer, FIELDS.composer.feeAsset)) ?? network.nativeDenom,
  };
}
