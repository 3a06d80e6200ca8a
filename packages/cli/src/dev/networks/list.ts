import { Failure } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import { isRemote } from '../config/roles.ts';
import { readText, replaceFiles } from '../files/files.ts';
import { isTable, readToml } from '../files/toml.ts';
import { removeTomlTable } from '../files/toml-edit.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { readInstance, requireInstance } from '../instance/instance.ts';
import { currentRun } from '../instance/run-file.ts';

/** @throws {Failure} when the files cannot be read. */
export function listNetworks(paths: InstancePaths, env: NodeJS.ProcessEnv) {
  requireInstance(paths);
  const running = currentRun(paths)?.network;
  return getNames(paths).map((name) => {
    const { network } = readInstance(paths, name, env);
    return {
      name,
      /** Whether its sequencer runs here. */
      kind: isRemote(network) ? 'remote' : 'local',
      chainId: network.sequencerChainId,
      rpc: network.sequencerRpc,
      grpc: network.sequencerGrpc,
      asset: network.nativeDenom,
      rollupName: network.rollupName,
      services: network.services.map(({ label }) => label),
      running: running === name,
    };
  });
}

/**
 * Takes the block of a network out of the network file. Its key, its genesis and its data stay.
 *
 * @throws {Failure} when there is no such network, it runs, or it is the last.
 */
export function removeNetwork(paths: InstancePaths, name: string): void {
  requireInstance(paths);
  const names = getNames(paths);
  const wanted = name.toLowerCase();
  if (!names.includes(wanted)) {
    throw new Failure(
      `${paths.networks}: no network ${JSON.stringify(name)}, there is ${names.join(', ') || 'none'}${didYouMean(name, names)}`,
    );
  }
  if (names.length === 1)
    throw new Failure(`${paths.networks}: ${name} is the only network: nothing would be left to run`);
  if (currentRun(paths)?.network.toLowerCase() === wanted) {
    throw new Failure(`network ${name} runs: stop it first, with \`switchyard dev stop${instanceArguments(paths)}\``);
  }
  const text = removeTomlTable(readText(paths.networks), paths.networks, ['networks', wanted]);
  replaceFiles([{ path: paths.networks, text: `${text.trimEnd()}\n` }]);
}

function getNames(paths: InstancePaths): string[] {
  const { networks } = readToml(paths.networks);
  return isTable(networks) ? Object.keys(networks).map((name) => name.toLowerCase()) : [];
}
