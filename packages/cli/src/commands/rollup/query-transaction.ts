import { hashOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { Failure } from '../../failure.ts';
import { askedRollup, withRollup } from './options.ts';
import { shownOutcome } from './outcome.ts';

/** `rollup-cli query transaction HASH` */
export function transactionCommand(cli: Cli, connect: Connections) {
  return withRollup(leaf('transaction', 'show what became of a transaction', '5f3a61…'))
    .argument('<hash>', '64 hex digits')
    .action(async (text, options) => {
      const hash = hashOf('hash', text);
      const outcome = await (await askedRollup(options, cli, connect)).transaction(hash);
      if (outcome === undefined) throw new Failure(`no transaction ${hash} is known to this rollup`);
      const { state, block, sequencerHeight, reason } = outcome;
      cli.print({ hash, ...shownOutcome(outcome) }, [
        `Transaction hash: ${hash}`,
        `State: ${state}${reason === undefined ? '' : `, ${reason}`}`,
        ...(block === undefined ? [] : [`Block: ${block}`]),
        ...(sequencerHeight === undefined ? [] : [`Sequencer block: ${sequencerHeight}`]),
      ]);
    });
}
