import { Option } from '@commander-js/extra-typings';
import { usage } from '@switchyard/service/failure';
import { integerReader } from '../../arguments.ts';
import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { withKubeconfig } from '../../deployments/cluster/kubeconfig.ts';
import type { Target, Urls } from '../../deployments/target.ts';
import { manifestPath, namedPath, openManifest, withManifest } from '../manifest/file.ts';

export const withTarget = optionSet((command) =>
  withKubeconfig(
    command.addOption(
      new Option('--target <kind>', 'where rollups run').choices(['kubernetes', 'local']).default('kubernetes'),
    ),
  ).option('--home <directory>', 'with --target local: root of all instances (SWITCHYARD_HOME; default ~/.switchyard)'),
);

export const withPort = optionSet((command) =>
  command.option(
    '--port <port>',
    'with --target local: where its host names are served (default: the first free one from 8090 on)',
    integerReader('--port', 1, 65_535),
  ),
);

/** For commands that find a deployment by its name. */
export const withNamespace = optionSet((command) =>
  withTarget(command).option('--namespace <name>', 'look in this namespace alone (default: in all)'),
);

/** The target of a command; the port is of `create` alone. */
type TargetOptions = OptionsOf<typeof withNamespace> & Partial<OptionsOf<typeof withPort>>;

/** Each kind of target is loaded when it is used: the client of Kubernetes alone takes longer than any other command. */
const TARGETS: Readonly<
  Record<TargetOptions['target'], (options: TargetOptions, cli: Cli, connect: Connections) => Promise<Target>>
> = {
  async kubernetes(options, cli, connect) {
    const { clusterTarget } = await import('../../deployments/cluster/cluster.ts');
    return clusterTarget(cli, connect, options);
  },
  async local({ home, port }, cli, connect) {
    const { localTarget } = await import('../../deployments/local/local.ts');
    return localTarget(cli, connect, { home, port });
  },
};

/** For commands about one deployment, which is found by its name or its manifest. */
export const withDeployment = optionSet((command) => withManifest(withNamespace(command)));

/**
 * The chosen deployment: the named one, else that of the manifest, searched in the manifest's namespace.
 *
 * @throws {Failure} if neither is given, or the two differ.
 */
export function toDeployment(name: string | undefined, options: OptionsOf<typeof withDeployment>, cli: Cli) {
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

export function urlLines({ blockscout, faucet, executor, wsExecutor, api }: Urls): [string, string][] {
  const all = { explorer: blockscout, faucet, 'JSON-RPC': executor, WebSocket: wsExecutor, 'HTTP API': api };
  return Object.entries(all).flatMap(([name, url]): [string, string][] => (url === undefined ? [] : [[name, url]]));
}
