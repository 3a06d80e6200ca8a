import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { type OptionsOf, optionSet, type World } from '../../cli.ts';
import { systemReason } from '../../dev/files/files.ts';

/** For commands that work in a cluster. */
export const withKubeconfig = optionSet((command) =>
  command
    .option('--kubeconfig <file>', 'how the cluster is reached (KUBECONFIG; default: ~/.kube/config)')
    .option('--context <name>', 'context of that file (default: its current one)'),
);

export type ClusterChoice = OptionsOf<typeof withKubeconfig>;

const MAX_BYTES = 1_048_576;
/** Token of a pod that runs this command line. */
const POD_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** Loads the kubeconfig that kubectl would use. @throws {Failure} if there is none, or not this context. */
export function loadKubeconfig(
  { kubeconfig, context }: ClusterChoice,
  { env, directory }: Pick<World, 'env' | 'directory'>,
  create: () => KubeConfig,
): KubeConfig {
  const usual = join(env.HOME ?? homedir(), '.kube', 'config');
  const named = kubeconfig === undefined ? (env.KUBECONFIG ?? '').split(delimiter) : [kubeconfig];
  const files = named.filter((file) => file !== '').map((file) => resolve(directory, file));
  const config = create();
  if (files.length === 0 && !isThere(usual) && isThere(POD_TOKEN)) config.loadFromCluster();
  else {
    for (const [index, file] of (files.length === 0 ? [usual] : files).entries()) {
      const read = index === 0 ? config : create();
      readInto(read, file);
      // The first of several files that states a current context counts.
      if (read !== config) config.mergeConfig(read, (config.getCurrentContext() ?? '') !== '');
    }
  }
  if (context !== undefined) config.setCurrentContext(context);
  const current = config.getCurrentContext();
  const names = config.getContexts().map(({ name }) => plain(name));
  if (config.getCurrentCluster() === null) {
    const wanted = current === undefined || current === '' ? 'no context' : `the context ${plain(current)}`;
    throw new Failure(
      `--context: expected one of the kubeconfig (${names.slice(0, 20).join(', ') || 'it has none'}), got ${wanted}`,
    );
  }
  return config;
}

function readInto(config: KubeConfig, file: string): void {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES)
      throw new Failure(`${file}: expected a kubeconfig of at most ${MAX_BYTES} bytes, got ${size}`);
    config.loadFromFile(file);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isMissing = error instanceof Error && 'code' in error;
    throw new Failure(
      isMissing
        ? `${file}: cannot be read: ${systemReason(error)}: make a cluster, for example with kind, or name its kubeconfig with --kubeconfig`
        : `${file}: expected a kubeconfig, got ${plain(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))}`,
      error,
    );
  }
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
