import { integerReader, u64Reader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { plain } from '../../print.ts';
import { askedRollup, withRollup } from './options.ts';

/** `rollup-cli query texts` */
export function textsCommand(cli: Cli, connect: Connections) {
  return withRollup(
    leaf(
      'texts',
      'show texts, the oldest first; without --after and --limit the newest 1,000',
      '',
      '--after 41 --limit 20',
    ),
  )
    .option('--after <id>', 'only texts with a larger id', u64Reader('--after'))
    .option('--limit <n>', 'at most so many', integerReader('--limit', 1, 1_000_000))
    .action(async ({ after, limit, ...options }) => {
      const texts = await (await askedRollup(options, cli, connect)).texts({ after, limit });
      // A stranger wrote these, so nothing in them may reach the terminal as a command.
      const height = (value: bigint | undefined) => (value === undefined ? undefined : Number(value));
      cli.print(
        texts.map(({ id, block, ...text }) => ({ id: height(id), ...text, block: height(block) })),
        texts.map(({ sender, message }) => `Sender: ${plain(sender)}, Message: ${plain(message)}`),
      );
    });
}
