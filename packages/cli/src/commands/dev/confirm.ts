import type { Cli } from '../../cli.ts';
import { Failure } from '../../failure.ts';

/**
 * Says what will happen, and asks, unless the user has said yes already.
 *
 * @throws {Failure} when the answer is no, or nobody is there to give one.
 */
export async function confirm(
  cli: Cli,
  {
    yes,
    what,
    question,
    verb,
  }: { readonly yes: boolean; readonly what: readonly string[]; readonly question: string; readonly verb: string },
): Promise<void> {
  if (yes) return;
  for (const line of what) cli.note(line);
  const answer = await cli.world.ask(`${question} [y/N] `);
  if (answer === undefined) throw new Failure(`nobody to ask here: repeat with --yes to ${verb} it`);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(`nothing was ${verb}d`);
}
