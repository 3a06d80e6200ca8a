import { readTimeout } from '../../arguments.ts';
import { type Cli, leaf, repeated } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { Failure, usage } from '../../failure.ts';
import { withComposer, withComposerOf } from './options.ts';
import { linesOfState, shownState } from './outcome.ts';

/** `switchyard bundle submit FILE` */
export function submitCommand(cli: Cli, connect: Connections) {
  return withComposer(
    leaf(
      'submit',
      'submit transactions that go into one sequencer transaction, in this order, or nowhere',
      'bundle.json',
      '--entry messenger-rollup=pay.hex --entry evm-rollup=swap.hex',
    ),
  )
    .argument('[file]', 'JSON: [{"rollup": "NAME", "transaction": "0x..."}, ...]')
    .option('--entry <rollup=file>', 'a signed transaction in hex, for the rollup of that name or id', repeated, [])
    .option('--timeout <seconds>', 'longest wait for the block', readTimeout, 60)
    .option('--no-wait', 'return when the composer has accepted the bundle, do not wait for the block')
    .addHelpText('after', HELP)
    .action(async (file, options) => {
      const { entriesOfFile, entryOf } = await import('./entries.ts');
      const { directory } = cli.world;
      if ((file === undefined) === (options.entry.length === 0)) throw usage('expected either FILE or --entry');
      const entries =
        file === undefined ? options.entry.map((each) => entryOf(each, directory)) : entriesOfFile(file, directory);
      await withComposerOf(options, { cli, connect }, async (composer) => {
        const id = await composer.submitBundle(entries);
        const state = options.wait ? await composer.waitUntilSequenced(id, 1_000 * options.timeout) : undefined;
        const shown = state ?? { kind: 'queued' };
        cli.print(shownState(id, shown), [`Bundle: ${id}`, ...linesOfState(shown)]);
        if (shown.kind === 'refused') throw new Failure(`the bundle is in no block: ${shown.reason}`);
        if (options.wait && shown.kind !== 'sequenced') {
          throw new Failure(
            `the bundle was accepted and is in no block after ${options.timeout} s: ask again with \`switchyard bundle status ${id}\``,
          );
        }
      });
    });
}

const HELP = `
One block of the sequencer has all of them, in this order, or none. Each rollup executes its own, and may refuse it.`;
