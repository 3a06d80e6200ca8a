import type { InstancePaths } from '../instance/home.ts';
import { readInstance } from '../instance/instance.ts';
import { urlOf } from '../status/urls.ts';
import { httpGet, jsonIn } from '../supervisor/http-get.ts';
import { startPageAddress } from './where.ts';

/** The address of the start page of an instance that runs; `undefined` where it has none. */
export async function findStartPage(
  paths: InstancePaths,
  network: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const address = startPageAddress(readInstance(paths, network, env));
  if (address === undefined) return undefined;
  const url = urlOf(address.use);
  // A page that does not answer is none: the caller reports that.
  const answer = await httpGet(`${url}/network.json`).catch(() => undefined);
  const facts = answer?.status === 200 ? jsonIn(answer.body) : undefined;
  // Its usual port may have been taken by another instance.
  const isOwn = typeof facts === 'object' && facts !== null && Reflect.get(facts, 'directory') === paths.directory;
  return isOwn ? url : undefined;
}
