import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import type { Sequencers } from '../../deployments/sequencer/sequencers.ts';

export interface SequencerDeploymentOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

export function withCluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'how the cluster is reached (KUBECONFIG; default: ~/.kube/config)')
    .option('--context <name>', 'context of that file (default: its current one)');
}

/** For commands that find a network by its name. */
export function withNamespace(command: Command): Command {
  return withCluster(command).option('--namespace <name>', 'look in this namespace alone (default: in all)');
}

/** Loaded when it is used: the client of Kubernetes takes longer than any other command. */
export async function sequencersOf(options: SequencerDeploymentOptions, cli: Cli): Promise<Sequencers> {
  const { sequencersIn } = await import('../../deployments/sequencer/sequencers.ts');
  const { namespace, ...choice } = options;
  return sequencersIn(cli, choice, namespace);
}
