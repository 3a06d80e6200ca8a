import type { Supervisor } from '../supervisor/supervisor.ts';
import type { RunPlan } from './plan.ts';
import type { Watch } from './watch.ts';

/** Restarts a running service when one of the files that it names in `watch` changes. */
export async function restartOnChange(
  { services, instance }: RunPlan,
  supervisor: Supervisor,
  log: (line: string) => void,
): Promise<Watch | undefined> {
  if (services.every((service) => service.watch.length === 0)) return undefined;
  const { watchServices } = await import('./watch.ts');
  const root = `${instance.paths.directory}/`;
  return watchServices(services, (name, path) => {
    const state = supervisor.status().find((status) => status.name === name)?.state;
    if (state === 'stopped' || state === 'stopping' || supervisor.paused) return;
    log(`${path.startsWith(root) ? path.slice(root.length) : path} has changed: restarting ${name}`);
    supervisor.restart(name).catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
  });
}
