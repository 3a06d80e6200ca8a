import { type Command, Option } from 'commander';
import type { Cli } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import type { Target, Urls } from '../../deployments/target.ts';

/** Where a command of `rollup deployment` works. */
export interface TargetOptions {
  readonly target: TargetKind;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly home?: string;
  /** Of `create` alone. */
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

export function openTarget(options: TargetOptions, cli: Cli, connect: Connections): Promise<Target> {
  return TARGETS[options.target](options, cli, connect);
}

export function urlLines({ blockscout, faucet, executor, wsExecutor }: Urls): [string, string][] {
  const all = { explorer: blockscout, faucet, 'JSON-RPC': executor, WebSocket: wsExecutor };
  return Object.entries(all).flatMap(([name, url]): [string, string][] => (url === undefined ? [] : [[name, url]]));
}
