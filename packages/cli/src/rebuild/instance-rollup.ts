import { Failure, usage } from '@switchyard/service/failure';
import { FIELDS } from '../dev/config/known-settings.ts';
import { withRole } from '../dev/config/roles.ts';
import type { InstancePaths } from '../dev/instance/home.ts';
import { readInstance } from '../dev/instance/instance.ts';
import { planServices } from '../dev/services/services.ts';

/** A rollup of ours, or defined by a module, which has the settings of the messenger. */
export type RollupKind = 'messenger' | 'evm' | 'defined';

export const getFields = (kind: RollupKind) => FIELDS[kind === 'evm' ? 'evm' : 'messenger'];

export type InstanceRollup = Readonly<ReturnType<typeof instanceRollup>>;

/** Rollups of an instance with their files, with any programs, alongside all of its services. */
export function toRollups(paths: InstancePaths, networkName: string, env: NodeJS.ProcessEnv) {
  const instance = readInstance(paths, networkName, env);
  const planned = planServices(instance, env);
  const labels = new Set(withRole(instance.network, 'rollup').map(({ label }) => label));
  const rollups = planned.flatMap(({ name, label, builtin, env: own }) => {
    const kind: RollupKind = builtin === 'evm' || builtin === 'messenger' ? builtin : 'defined';
    const { genesisFilepath, dbFilepath } = getFields(kind);
    const [genesis, data] = [own[genesisFilepath.names[0]], own[dbFilepath.names[0]]];
    if (!labels.has(label) || !genesis || !data) return [];
    return [{ name, label, kind, genesis, data, sequencerChainId: own[FIELDS.messenger.sequencerChainId.names[0]] }];
  });
  return { planned, rollups, network: instance.network };
}

/** A rollup of an instance. @throws {Failure} if there is no such rollup. */
export function instanceRollup(
  paths: InstancePaths,
  networkName: string,
  env: NodeJS.ProcessEnv,
  wanted: string | undefined,
  { withEvm }: { readonly withEvm: boolean },
) {
  const { rollups: all, ...instance } = toRollups(paths, networkName, env);
  const rollups = all.filter(({ kind }) => withEvm || kind !== 'evm');
  const found = rollups.filter(({ name, label, kind }) => wanted === undefined || [name, label, kind].includes(wanted));
  const [rollup] = found;
  if (rollup === undefined || found.length > 1) {
    const names = rollups.map(({ name }) => name).join(', ');
    if (names === '')
      throw new Failure(`instance ${paths.name} has no rollup${withEvm ? '' : ' without a virtual machine'}`);
    throw new Failure(`instance ${paths.name}: --rollup: expected one of ${names}, got ${wanted ?? 'nothing'}`);
  }
  return { ...rollup, ...instance };
}

/** Settings of the program of a replay. */
export function replaySettings({ genesis, data, sequencerChainId, network }: InstanceRollup) {
  const { genesisFilepath, dbFilepath, sequencerChainId: chain } = FIELDS.messenger;
  return {
    [genesisFilepath.names[0]]: genesis,
    [dbFilepath.names[0]]: data,
    ...(sequencerChainId && { [chain.names[0]]: sequencerChainId }),
    REPLAY_SEQUENCER_RPC_URL: network.sequencerRpc,
    REPLAY_SEQUENCER_GRPC_URL: network.sequencerGrpc,
  };
}

export const notOurs = (rollup: string): Failure =>
  usage(`rollup ${rollup} is not ours: expected --code, the module of its definition`);

/** The program of a rollup. @param code Absolute path of the module of its definition. @throws {Failure} if it is missing, or of no use. */
export function programFor(name: string, kind: RollupKind, code: string | undefined) {
  if (code === undefined && kind === 'defined') throw notOurs(name);
  if (code !== undefined && kind === 'evm')
    throw usage(`${name}: expected --code for a rollup without a virtual machine, got an EVM rollup`);
  return { kind: code === undefined ? kind : ('defined' as const), code };
}
