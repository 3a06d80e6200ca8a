import type { ServiceState, ServiceStatus } from './events.ts';
import type { ServiceSpec } from './spec.ts';

/** A service of the dependency graph, and how it is. */
export interface Dependent {
  readonly spec: Pick<ServiceSpec, 'name' | 'after' | 'needs'>;
  readonly status: Pick<ServiceStatus, 'state'>;
}

const SETTLED: ReadonlySet<ServiceState> = new Set(['ready', 'finished']);
const WAITING: ReadonlySet<ServiceState> = new Set(['waiting', 'restarting']);

/** Others may depend on it now. */
export const isSettled = ({ status }: Dependent): boolean => SETTLED.has(status.state);

/** It has no process, and will be started without anybody asking. */
export const isWaiting = ({ state }: Dependent['status']): boolean => WAITING.has(state);

/** The services that have to be ready before this one is started, and are not. */
export function unmet({ spec }: Dependent, all: readonly Dependent[]): string[] {
  const settled = new Set(all.filter(isSettled).map((each) => each.spec.name));
  return spec.after.filter((name) => !settled.has(name));
}

/** Services that do not work yet and never will without this one, directly or through others. */
export function blockedBy(name: string, all: readonly Dependent[]): string[] {
  const found = new Set<string>();
  const visit = (needed: string) => {
    for (const { spec, status } of all) {
      if (found.has(spec.name) || spec.name === name) continue;
      if (!isWaiting(status) && status.state !== 'starting') continue;
      if (!spec.after.includes(needed) && spec.needs?.includes(needed) !== true) continue;
      found.add(spec.name);
      visit(spec.name);
    }
  };
  visit(name);
  return [...found];
}
