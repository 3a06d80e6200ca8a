import { findHolder } from '@switchyard/network/supervisor/listeners';
import { Failure, tried } from '@switchyard/service/failure';
import { homeDirectory, instancePaths } from '../instance/home.ts';
import { isOnThisMachine } from '../instance/network-layer.ts';
import { currentRun, getOwner } from '../instance/run-file.ts';
import { readAsRun } from '../services/flags.ts';
import { planServices } from '../services/services.ts';

/** Names the listener at a URL, if it is a service of an instance on this machine: `port 8080 is gRPC of sequencer (instance chat)`. */
export async function listenerAt(url: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!URL.canParse(url) || !isOnThisMachine(url)) return undefined;
  const port = Number(new URL(url).port || 80);
  const holder = await findHolder(port);
  const owner = holder?.listens === true ? getOwner(homeDirectory(undefined, env))(holder.pid) : undefined;
  if (owner === undefined) return undefined;
  const paths = instancePaths(owner.home, owner.name);
  const network = currentRun(paths)?.network;
  if (network === undefined) return undefined;
  return tried(Failure, undefined, () => {
    const uses = planServices(readAsRun(paths, network, env), env).flatMap(({ ports }) => ports);
    const found = uses.find((use) => use.port === port);
    return found && `port ${port} is ${found.use} of ${found.service} (instance ${owner.name})`;
  });
}
