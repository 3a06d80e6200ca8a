import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import { Failure, STATUS } from '../../failure.ts';
import { type InstanceOptions, pathsOf, withInstance } from './options.ts';

interface Options extends InstanceOptions {
  readonly network: string;
  readonly headless?: true;
}

/** `switchyard dev run`: in the foreground until Ctrl+C. */
export function runCommand(cli: Cli): Command {
  return withInstance(leaf('run', 'start the services of an instance and show what they say, until Ctrl+C'))
    .option('--network <name>', 'which network of networks-config.toml', 'local')
    .option('--headless', 'for scripts: no colours, and the end of one service for good ends the run')
    .action(async (options: Options) => {
      const paths = await pathsOf(options, cli);
      const { runInForeground } = await import('../../dev/foreground.ts');
      const end = await runInForeground({
        paths,
        network: options.network,
        headless: options.headless === true,
        json: cli.json,
        world: cli.world,
      });
      if (end.kind === 'failed') throw new Failure(end.reason, STATUS.failed);
    });
}
