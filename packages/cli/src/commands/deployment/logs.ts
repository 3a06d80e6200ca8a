import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { logChoice, withLogOptions } from '../log-options.ts';
import { deploymentOf, openTarget, withDeployment } from './options.ts';

/** `switchyard rollup deployment logs [name] [part]` */
export function logsCommand(cli: Cli, connect: Connections) {
  const command = withDeployment(
    leaf(
      'logs',
      'show what the processes of a rollup log',
      'cosmic',
      '--config cosmic-rollup-conf.yaml evm',
      'cosmic composer --lines 20 --follow',
    ),
  )
    .argument('[name]', 'name of the rollup; not with --config')
    .argument('[part]', 'one process, such as evm, composer, conductor, withdrawer, faucet or explorer (default: all)');
  return withLogOptions(command).action(async (first, second, options) => {
    // With --config, one word is the process.
    const isPart = options.config !== undefined && second === undefined;
    const [named, part] = isPart ? [undefined, first] : [first, second];
    const { name, where } = deploymentOf(named, options, cli);
    const choice = logChoice(part, options);
    await (await openTarget(where, cli, connect)).logs(name, choice);
  });
}
