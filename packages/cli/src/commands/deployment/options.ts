import { type Command, Option } from 'commander';
import type { Cli } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import type { Target, Urls } from '../../deployments/target.ts';
import { usage } from '../../failure.ts';
import { type ManifestOptions, manifestPath, namedPath, openManifest, withManifest } from '../manifest/file.ts';

/** Where a command of `rollup deployment` works. */
export interface TargetOptions {
  readonly target: TargetKind;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly home?: string;
  /** Option of `create` alone. */
  readonly port?: string;
}

/** Each kind of target is loaded when it is used: the client of Kubernetes alone takes longer than any other command. */
const TARGETS = {
  async kubernetes(options: TargetOptions, cli: Cli, connect: Connections): Promise<Target> {
    const { clusterTarget } = await import('../../deployments/cluster/cluster.ts');
    return clusterTarget(cli, connect, options);
  },
  async local({ home, port }: TargetOptions, cli: Cli, connect: Connections): Promise<Target> {
    const { localTarget } = await import('../../deployments/local/local.ts');
    const { integerOf } = await import('../../arguments.ts');
    return localTarget(cli, connect, {
      ...(home === undefined ? {} : { home }),
      ...(port === undefined ? {} : { port: integerOf('--port', port, 1, 65_535) }),
    });
  },
};

type TargetKind = keyof typeof TARGETS;

export function withTarget(command: Command): Command {
  return command
    .addOption(
      new Option('--target <kind>', 'where rollups run')
        .choices(Object.keys(TARGETS))
        .default('kubernetes' satisfies TargetKind),
    )
    .option('--kubeconfig <file>', 'how the cluster is reached (KUBECONFIG; default: ~/.kube/config)')
    .option('--context <name>', 'context of that file (default: its current one)')
    .option(
      '--home <directory>',
      'with --target local: root of all instances (SWITCHYARD_HOME; default ~/.switchyard)',
    );
}

/** For commands that find a deployment by its name. */
export function withNamespace(command: Command): Command {
  return withTarget(command).option('--namespace <name>', 'look in this namespace alone (default: in all)');
}

/** Options of a command about one deployment, which is found by its name or its manifest. */
export interface DeploymentOptions extends TargetOptions, ManifestOptions {}

export function withDeployment(command: Command): Command {
  return withManifest(withNamespace(command));
}

/**
 * The deployment that is meant: the one that is named, else that of the manifest, in whose namespace it is looked for.
 *
 * @throws {Failure} where neither is given, or the two differ.
 */
export function deploymentOf(
  name: string | undefined,
  options: DeploymentOptions,
  cli: Cli,
): { readonly name: string; readonly where: TargetOptions } {
  if (name !== undefined && options.config === undefined) return { name, where: options };
  if (name === undefined && namedPath(options, cli) === undefined && (cli.world.env.ROLLUP_NAME ?? '') === '')
    throw usage('expected the name of a rollup or its manifest, got neither: give NAME or --config FILE');
  const { manifest } = openManifest(manifestPath(options, cli), cli);
  if (name !== undefined && name !== manifest.name)
    throw usage(`--config: expected the manifest of rollup ${name}, got that of ${manifest.name}`);
  return { name: manifest.name, where: { namespace: manifest.namespace, ...options } };
}

export function openTarget(options: TargetOptions, cli: Cli, connect: Connections): Promise<Target> {
  return TARGETS[options.target](options, cli, connect);
}

export function urlLines({ blockscout, faucet, executor, wsExecutor }: Urls): [string, string][] {
  const all = { explorer: blockscout, faucet, 'JSON-RPC': executor, WebSocket: wsExecutor };
  return Object.entries(all).flatMap(([name, url]): [string, string][] => (url === undefined ? [] : [[name, url]]));
}
