import { Option } from '@commander-js/extra-typings';
import { Failure } from '@switchyard/service/failure';
import { type Cli, leaf } from '../cli.ts';

export function newCommand(cli: Cli) {
  return leaf(
    'new',
    'make a project for a rollup of your own, which runs and tests itself',
    'my-rollup',
    'my-token --template token',
  )
    .argument('<name>', 'name of the rollup and of its package')
    .addOption(
      new Option('--template <template>', 'rollup to begin with (default: counter)').choices([
        'counter',
        'token',
        'orderbook',
        'market',
        'evm',
      ]),
    )
    .option('--directory <directory>', 'an empty directory, or one to be made (default: the name)')
    .option('--no-install', 'without installing its packages')
    .action(async (name, { template, directory, install }) => {
      const { linesAbout, ProjectNotCreated, newProject } = await import('@switchyard/create');
      const wanted = { name, template, directory, install, note: (line: string) => cli.note(line) };
      const made = await newProject(wanted, cli.world.directory).catch((error: unknown) => {
        throw error instanceof ProjectNotCreated ? new Failure(error.message) : error;
      });
      cli.print(made, linesAbout(made));
    });
}
