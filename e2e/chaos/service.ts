import type { Kind, ProgramName } from '@switchyard/stack/network';
import { usualListener } from '@switchyard/stack/ports';
import { PROGRAMS } from '@switchyard/stack/programs';

/** A process of the network that is attacked. */
export interface Service {
  readonly name: string;
  /** Answers 200 when the service is ready; of `tcp://host:port`, takes connections then. */
  readonly readyUrl: string;
  /** Directory of its state, below the instance's data directory. */
  readonly store: string;
}

/** URL that reports whether a program of ours is ready. */
export function readyUrl(
  name: ProgramName,
  usual: { readonly kind?: Kind | undefined; readonly offset: number },
): string {
  const { ready } = PROGRAMS[name];
  return `http://${usualListener(PROGRAMS[name], ready.listener, usual)}${ready.path}`;
}
