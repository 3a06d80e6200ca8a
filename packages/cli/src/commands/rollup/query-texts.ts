import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { plain } from '../../print.ts';
import { type RollupOptions, rollupOf, withRollup } from './options.ts';

interface Options extends RollupOptions {
  readonly after?: string;
  readonly limit?: string;
}

/** `rollup-cli query texts` */
export function textsCommand(cli: Cli, connect: Connections): Command {
  return withRollup(
    leaf(
      'texts',
      'show texts, the oldest first; without --after and --limit the newest 1,000',
      '',
      '--after 41 --limit 20',
    ),
  )
    .option('--after <id>', 'only texts with a larger id')
    .option('--limit <n>', 'at most so many')
    .action(async (options: Options) => {
      const { integerOf, u64Of } = await import('../../arguments.ts');
      const page = {
        ...(options.after === undefined ? {} : { after: u64Of('--after', options.after) }),
        ...(options.limit === undefined ? {} : { limit: integerOf('--limit', options.limit, 1, 1_000_000) }),
      };
      const texts = await (await rollupOf(options, cli, connect)).texts(page);
      // A stranger wrote these, so nothing in them may reach the terminal as a command.
      const height = (value: bigint | undefined) => (value === undefined ? undefined : Number(value));
      cli.print(
        texts.map(({ id, block, ...text }) => ({ id: height(id), ...text, block: height(block) })),
        texts.map(({ sender, message }) => `Sender: ${plain(sender)}, Message: ${plain(message)}`),
      );
    });
}
