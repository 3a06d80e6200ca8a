import type { SubmissionState } from '@switchyard/client';
import type { TxHash } from '@switchyard/protocol';
import { Failure, usage } from '@switchyard/service/failure';
import { hashArgument, readTimeout } from '../../arguments.ts';
import { type Cli, leaf, repeated } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { withComposer, withComposerFrom } from './options.ts';

/** `switchyard bundle ...`: transactions of several rollups that go into one sequencer transaction, or nowhere. */
export function bundleCommands(cli: Cli, connect: Connections) {
  return [submitCommand(cli, connect), statusCommand(cli, connect)];
}

function submitCommand(cli: Cli, connect: Connections) {
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
      const { entriesOfFile, toEntry } = await import('./entries.ts');
      const { directory } = cli.world;
      if ((file === undefined) === (options.entry.length === 0)) throw usage('expected either FILE or --entry');
      const entries =
        file === undefined ? options.entry.map((each) => toEntry(each, directory)) : entriesOfFile(file, directory);
      await withComposerFrom(options, { cli, connect }, async (composer) => {
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

function statusCommand(cli: Cli, connect: Connections) {
  return withComposer(leaf('status', 'show what became of an atomic bundle', '5f3a61…'))
    .argument('<id>', 'as `switchyard bundle submit` printed it')
    .action(async (text, options) => {
      const id = hashArgument('id', text) as TxHash; // 64 hex digits, in lower case
      const state = await withComposerFrom(options, { cli, connect }, (composer) => composer.bundle(id));
      if (state === undefined) throw new Failure(`the composer does not know bundle ${id}, or not any more`);
      cli.print(shownState(id, state), [`Bundle: ${id}`, ...linesOfState(state)]);
    });
}

/** The outcome of a bundle, for `--json`. */
function shownState(id: string, state: SubmissionState | undefined): Readonly<Record<string, unknown>> {
  if (state === undefined) return { id, state: 'unknown' };
  const { kind, ...facts } = state;
  return { id, state: kind, ...facts };
}

function linesOfState(state: SubmissionState): string[] {
  switch (state.kind) {
    case 'queued':
      return ['State: queued'];
    case 'bundled':
      return ['State: sent', `Sequencer transaction: ${state.transaction}`];
    case 'sequenced':
      return ['State: sequenced', `Included in block: ${state.height}`, `Sequencer transaction: ${state.transaction}`];
    case 'refused':
      return ['State: refused', `Reason: ${state.reason}`];
  }
}
