import type { ControlClient } from '../../dev/control/client.ts';
import type { ServiceVerb } from '../../dev/control/protocol.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import { Failure } from '../../failure.ts';

/** Orders to the running instance. @throws {Failure} when nothing runs, or what runs accepts no commands. */
export async function controlOf(paths: InstancePaths, flag: string): Promise<ControlClient> {
  const [{ connectControl }, { requireInstance }, { currentRun }] = await Promise.all([
    import('../../dev/control/client.ts'),
    import('../../dev/instance/instance.ts'),
    import('../../dev/instance/run-file.ts'),
  ]);
  requireInstance(paths);
  const control = await connectControl(paths);
  if (control !== undefined) return control;
  const run = currentRun(paths);
  if (run !== undefined)
    throw new Failure(`instance ${paths.name} runs (process ${run.tool.pid}), but takes no orders`);
  throw new Failure(`instance ${paths.name} is not running: start it with \`switchyard dev run${flag}\``);
}

/** @returns the services, each once. @throws {Failure} where one of the services does not exist, before anything is done to the others. */
export async function orderEach(
  control: ControlClient,
  verb: ServiceVerb,
  named: readonly string[],
): Promise<readonly string[]> {
  const names = [...new Set(named)];
  const known = names.length > 1 ? (await control.status()).services.map(({ name }) => name) : names;
  const unknown = names.find((name) => !known.includes(name));
  // The tool refuses it with the names of all services.
  for (const name of unknown === undefined ? names : [unknown]) await control[verb](name);
  return names;
}
