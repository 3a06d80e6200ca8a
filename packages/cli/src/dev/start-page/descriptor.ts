import type { Ask } from '../status/heights.ts';
import { type Overview, overviewOf, type Running } from '../status/overview.ts';
import { KEYS_NOTICE, type PublicAccount, publicAccounts } from './accounts.ts';
import { type Link, linksOf } from './links.ts';

/** All of a running network: the line `ready {json}`, `/network.json` of the start page, and what that page shows. */
export interface NetworkDescriptor extends Overview {
  readonly links: readonly Link[];
  /** About the keys of `accounts`. */
  readonly notice: string;
  readonly accounts: readonly PublicAccount[];
}

/** @param ask Asks the services for their heights. */
export async function describeNetwork(running: Running, ask?: Ask): Promise<NetworkDescriptor> {
  const overview = await overviewOf(running, ask);
  const links = linksOf(running.services);
  const messenger = links.some(({ kind }) => kind === 'chat');
  return {
    ...overview,
    links,
    notice: KEYS_NOTICE,
    accounts: publicAccounts({ messenger, evm: overview.evm !== undefined }),
  };
}
