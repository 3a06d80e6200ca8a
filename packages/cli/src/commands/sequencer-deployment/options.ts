import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import type { Sequencers } from '../../deployments/sequencer/sequencers.ts';

export const withCluster = optionSet((command) =>
  command
    .option('--kubeconfig <file>', 'how the cluster is reached (KUBECONFIG; default: ~/.kube/config)')
    .option('--context <name>', 'context of that file (default: its current one)'),
);

/** For commands that find a network by its name. */
export const withNamespace = optionSet((command) =>
  withCluster(command).option('--namespace <name>', 'look in this namespace alone (default: in all)'),
);

type SequencerDeploymentOptions = OptionsOf<typeof withNamespace>;

/** Loaded when it is used: the client of Kubernetes takes longer than any other command. */
export async function sequencersOf(options: SequencerDeploymentOptions, cli: Cli): Promise<Sequencers> {
  const { sequencersIn } = await import('../../deployments/sequencer/sequencers.ts');
  const { namespace, ...choice } = options;
  return sequencersIn(cli, choice, namespace);
}
