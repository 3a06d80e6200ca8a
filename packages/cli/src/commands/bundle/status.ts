import type { TxHash } from '@switchyard/protocol';
import { hashOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { Failure } from '../../failure.ts';
import { withComposer, withComposerOf } from './options.ts';
import { linesOfState, shownState } from './outcome.ts';

/** `switchyard bundle status ID` */
export function statusCommand(cli: Cli, connect: Connections) {
  return withComposer(leaf('status', 'show what became of an atomic bundle', '5f3a61…'))
    .argument('<id>', 'as `switchyard bundle submit` printed it')
    .action(async (text, options) => {
      const id = hashOf('id', text) as TxHash; // 64 hex digits, in lower case
      const state = await withComposerOf(options, { cli, connect }, (composer) => composer.bundle(id));
      if (state === undefined) throw new Failure(`the composer does not know bundle ${id}, or not any more`);
      cli.print(shownState(id, state), [`Bundle: ${id}`, ...linesOfState(state)]);
    });
}
