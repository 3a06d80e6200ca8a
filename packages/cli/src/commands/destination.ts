import { usage } from '@switchyard/service/failure';
import type { Cli } from '../cli.ts';
import type { Connections } from '../connect.ts';
import type { InstanceChoice } from '../dev/instance/which.ts';

/**
 * Refuses a bridge account as the destination of a withdrawal before anything burns: the sequencer pays nothing to one.
 *
 * Asked is SEQUENCER_URL, else the sequencer of the instance that runs. If there is none, or it does not answer, the withdrawer
 * finds that out and holds the withdrawal.
 *
 * @param rollupUrl Address of the rollup, if one was given: it may be of another network than the instance.
 * @throws {Failure}
 */
export async function mustBePayable(
  option: string,
  to: string,
  { rollupUrl, ...choice }: InstanceChoice & { readonly rollupUrl: string | undefined },
  cli: Cli,
  connect: Connections,
): Promise<void> {
  const { findTarget } = await import('../target.ts');
  const isNamed = choice.instance !== undefined || choice.network !== undefined;
  const isElsewhere = rollupUrl !== undefined && rollupUrl !== '' && !isNamed;
  const chosen = isElsewhere ? undefined : await findTarget(choice, { ...cli, note: () => {} }, () => true);
  const url = cli.world.env.SEQUENCER_URL || (chosen?.isRunning === true ? chosen.instance.network.sequencerRpc : '');
  if (url === '') return;
  const wanted = connect.sequencer(url).then((node) => node.bridgeAccount(to));
  if ((await wanted.catch(() => undefined)) === undefined) return;
  throw usage(`${option}: expected an account that withdrawals can be paid to, got the bridge account ${to}`);
}
