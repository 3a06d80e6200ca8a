import { InvalidConfig, isLoopbackHost } from '@switchyard/service';
import { type EvmConfig, evmFields } from '../config.ts';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import { type Keys, toKeys } from '../rpc/accounts/account-methods.ts';

type Config = Pick<EvmConfig, 'devAccounts' | 'httpAddr' | 'wsAddr' | 'composerAddr'>;

/**
 * The published keys if the settings ask for them; else undefined.
 *
 * @throws {InvalidConfig} if others could reach them, or the chain may be one of others.
 */
export function devKeys(config: Config, { alloc }: Pick<EvmGenesis, 'alloc'>): Keys | undefined {
  if (!config.devAccounts) return undefined;
  const funded = DEV_ACCOUNTS.filter(({ address }) => (alloc.get(address)?.balance ?? 0n) > 0n);
  const reason =
    open(evmFields.httpAddr.names[0], config.httpAddr) ??
    open(evmFields.wsAddr.names[0], config.wsAddr) ??
    elsewhere(config.composerAddr) ??
    (funded.length === 0 ? 'a chain whose genesis gives them nothing: it is not for development' : undefined);
  if (reason === undefined) return toKeys(DEV_ACCOUNTS);
  throw new InvalidConfig({
    variable: evmFields.devAccounts.names[0],
    expected: 'false, or a network for development on this machine',
    got: `true, with ${reason}`,
    advice: 'set it to false: clients then sign themselves',
  });
}

function open(setting: string, { host }: { readonly host: string }): string | undefined {
  return isLoopbackHost(host) ? undefined : `${setting} open to others at ${host}`;
}

function elsewhere(composer: string): string | undefined {
  const isHere = composer.startsWith('unix:') || isLoopbackHost(new URL(composer).hostname);
  return isHere ? undefined : `a composer that is not local: ${composer}`;
}
