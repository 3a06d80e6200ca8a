import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';

interface Confirmation {
  /** From a flag. */
  readonly yes: true | undefined;
  readonly what: readonly string[];
  readonly question: string;
  readonly verb: string;
}

/**
 * Prints the consequences and asks for confirmation, unless it was given by a flag.
 *
 * @throws {Failure} when the answer is no, or the input is not a terminal.
 */
export async function confirm(cli: Cli, { yes, what, question, verb }: Confirmation): Promise<void> {
  if (yes) return;
  for (const line of what) cli.note(line);
  const answer = await cli.world.ask(`${question} [y/N] `);
  if (answer === undefined) throw new Failure(`not a terminal: repeat with --yes to ${verb} it`);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(`nothing was ${verb}d`);
}
