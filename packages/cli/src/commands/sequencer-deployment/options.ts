import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import { withKubeconfig } from '../../deployments/cluster/kubeconfig.ts';
import type { Sequencers } from '../../deployments/sequencer/sequencers.ts';

/** For commands that find a network by its name. */
export const withNamespace = optionSet((command) =>
  withKubeconfig(command).option('--namespace <name>', 'look in this namespace alone (default: in all)'),
);

type SequencerDeploymentOptions = OptionsOf<typeof withNamespace>;

/** Loaded when it is used: the client of Kubernetes takes longer than any other command. */
export async function sequencersOf(options: SequencerDeploymentOptions, cli: Cli): Promise<Sequencers> {
  const { sequencersIn } = await import('../../deployments/sequencer/sequencers.ts');
  const { namespace, ...choice } = options;
  return sequencersIn(cli, choice, namespace);
}
