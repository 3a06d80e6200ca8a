import type { Command } from 'commander';
import { type Cli, group, leaf } from '../../cli.ts';
import type { Change } from '../../dev/setconfig.ts';
import { type InstanceOptions, instanceFlag, pathsOf, withInstance } from './options.ts';

/** `switchyard dev setconfig ...`: one value, in every file where it has to agree. */
export function setconfigCommand(cli: Cli): Command {
  return group('setconfig', 'change a value everywhere it has to agree', [rollupName(cli), blockInterval(cli)]);
}

function rollupName(cli: Cli): Command {
  return withInstance(leaf('rollupname', 'give the rollup another name; its state starts anew'))
    .argument('<name>', 'letters, digits, _ . -; at most 50')
    .option('--network <name>', 'which network of networks-config.toml', 'local')
    .action(async (name: string, options: InstanceOptions & { readonly network: string }) => {
      const { setRollupName } = await import('../../dev/setconfig.ts');
      const changes = setRollupName(await pathsOf(options, cli), options.network, name);
      report(cli, changes, [
        'The stored state belongs to the old name. Stop the instance if it runs, then:',
        `  switchyard dev reset state${instanceFlag(options)}`,
      ]);
    });
}

function blockInterval(cli: Cli): Command {
  return withInstance(leaf('blockinterval', 'set the least time between two sequencer blocks'))
    .argument('<ms>', 'milliseconds, from 10')
    .action(async (ms: string, options: InstanceOptions) => {
      const { setBlockInterval } = await import('../../dev/setconfig.ts');
      const changes = setBlockInterval(await pathsOf(options, cli), ms);
      report(cli, changes, ['It counts from the next `switchyard dev run`. No reset is needed.']);
    });
}

function report(cli: Cli, changes: readonly Change[], advice: readonly string[]): void {
  const lines = changes.map(({ file, key, from, to }) => `${file}: ${key}: ${from || 'not set'} -> ${to}`);
  cli.print({ changes }, changes.length === 0 ? 'nothing to change: it is so already' : [...lines, ...advice]);
}
