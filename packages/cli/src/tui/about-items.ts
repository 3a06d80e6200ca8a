import { EVM_MNEMONIC } from '@switchyard/network/evm-accounts';
import { commandsToTry, hasMessenger, type Programs } from '../dev/run/banner.ts';
import { publicAccounts } from '../dev/start-page/accounts.ts';
import type { Overview, PublicAccount, ServiceOverview } from '../dev/status/network.ts';
import type { AboutItem } from './model.ts';

/** Addresses, accounts with money and commands to type, each a value that can be copied. */
export function aboutItems(overview: Overview, programs: Programs): AboutItem[] {
  const { directory, rollup, sequencer, evm, startPage, services } = overview;
  const messenger = hasMessenger(overview);
  const accounts = publicAccounts({ messenger, evm: evm !== undefined });
  return [
    { kind: 'title', text: 'Addresses and files' },
    ...fact('start page', startPage, 'links to everything'),
    ...services.flatMap(serviceItems),
    ...fact('logs and state', directory),
    { kind: 'title', text: 'Chains' },
    ...fact('sequencer', sequencer.chainId, heightNote(sequencer.height)),
    ...(messenger ? fact('rollup', rollup.name, heightNote(rollup.height)) : []),
    ...(evm === undefined ? [] : evmItems(evm)),
    { kind: 'title', text: 'Commands to try, in another terminal' },
    ...commandsToTry(overview, programs).map((value): AboutItem => ({ kind: 'command', value })),
    { kind: 'title', text: 'Development accounts. PUBLIC TEST KEYS, never for real funds' },
    ...accounts.filter(({ on }) => on === 'sequencer').flatMap(accountItems),
    ...(evm === undefined ? [] : evmAccountItems(accounts)),
    { kind: 'title', text: 'Metrics for Prometheus' },
    ...services.flatMap(({ name, listens }) =>
      listens.flatMap(({ use, url }) => (use === 'metrics' ? fact(name, `${url}/metrics`) : [])),
    ),
  ];
}

const fact = (label: string, value: string | undefined, note?: string): AboutItem[] =>
  value === undefined ? [] : [{ kind: 'fact', label, value, ...(note !== undefined && note !== '' && { note }) }];

const heightNote = (height: number | undefined) => (height === undefined ? 'no block yet' : `block ${height}`);

function serviceItems({ name, version, pid, state, listens: all }: ServiceOverview): AboutItem[] {
  const listens = all.filter(({ use }) => use !== 'metrics');
  const process = pid === undefined ? '' : `pid ${pid}`;
  const note = (...words: string[]) =>
    [...words, state === 'ready' ? '' : state].filter((word) => word !== '').join(', ');
  if (listens.length === 0) return fact(name, process === '' ? 'no process' : process, note(version));
  return listens.flatMap(({ use, url }, index) =>
    fact(index === 0 ? name : '', url, index === 0 ? note(use, version, process) : use),
  );
}

function evmItems({ url, ws, faucet, chainId, name, height }: NonNullable<Overview['evm']>): AboutItem[] {
  return [
    ...fact('EVM rollup', name, heightNote(height)),
    ...fact('JSON-RPC', url),
    ...fact('websocket', ws),
    ...fact('chain id', chainId === undefined ? undefined : String(chainId)),
    ...fact('faucet', faucet),
  ];
}

function accountItems({ on, name = '', address, key, role }: PublicAccount): AboutItem[] {
  return [...fact(name, address, on === 'sequencer' ? role : undefined), ...fact('', key, 'private key')];
}

function evmAccountItems(accounts: readonly PublicAccount[]): AboutItem[] {
  return [
    { kind: 'title', text: 'Accounts of the EVM rollup, with 10000 coins each. PUBLIC TEST KEYS' },
    ...fact('mnemonic', EVM_MNEMONIC),
    ...accounts.filter(({ on }) => on === 'evm').flatMap(accountItems),
  ];
}
