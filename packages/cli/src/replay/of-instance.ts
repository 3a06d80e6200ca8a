import { FIELDS } from '../dev/config/known-settings.ts';
import { withRole } from '../dev/config/roles.ts';
import type { InstancePaths } from '../dev/instance/home.ts';
import { readInstance } from '../dev/instance/instance.ts';
import { planServices } from '../dev/services/services.ts';
import { Failure } from '../failure.ts';

/** A rollup of an instance whose blocks can be executed again. @throws {Failure} where there is no such rollup. */
export function replayedOf(paths: InstancePaths, network: string, env: NodeJS.ProcessEnv, asked: string | undefined) {
  const instance = readInstance(paths, network, env);
  const { genesisFilepath, dbFilepath, sequencerChainId } = FIELDS.messenger;
  const [genesis] = genesisFilepath.names;
  const [database] = dbFilepath.names;
  const labels = new Set(withRole(instance.network, 'rollup').map(({ label }) => label));
  const rollups = planServices(instance, env).filter(
    ({ label, builtin, env: own }) => labels.has(label) && builtin !== 'evm' && own[genesis] && own[database],
  );
  const found = rollups.filter(({ name, label }) => asked === undefined || [name, label].includes(asked));
  const [rollup] = found;
  if (rollup === undefined || found.length > 1) {
    const names = rollups.map(({ name }) => name).join(', ');
    if (names === '') throw new Failure(`instance ${paths.name} has no rollup without a virtual machine`);
    throw new Failure(`instance ${paths.name}: --rollup: expected one of ${names}, got ${asked ?? 'nothing'}`);
  }
  const copied = [genesis, database, sequencerChainId.names[0]];
  /** Settings of the program of a replay. */
  const settings: Readonly<Record<string, string>> = {
    ...Object.fromEntries(copied.flatMap((name) => (rollup.env[name] ? [[name, rollup.env[name]]] : []))),
    REPLAY_SEQUENCER_RPC_URL: instance.network.sequencerRpc,
    REPLAY_SEQUENCER_GRPC_URL: instance.network.sequencerGrpc,
  };
  return { name: rollup.name, isMessenger: rollup.builtin === 'messenger', settings };
}
