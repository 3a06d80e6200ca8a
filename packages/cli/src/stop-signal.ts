import { Failure } from '@switchyard/service/failure';
import type { Cli } from './cli.ts';

/** Aborts once the command is to end. @param reason Message of the failure, from its cause. */
export function stopSignal({ world }: Pick<Cli, 'world'>, reason: string | ((why: string) => string)): AbortSignal {
  const stop = new AbortController();
  world.onStop((why) => stop.abort(new Failure(typeof reason === 'string' ? reason : reason(why))));
  return stop.signal;
}

/** For a deployment: finished steps stay, and the command continues. */
export const deploymentSignal = (cli: Cli): AbortSignal =>
  stopSignal(cli, (why) => `interrupted by ${why}: run the same command again to continue`);
