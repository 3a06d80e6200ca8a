import type { Address } from '@switchyard/evm-machine/types';
import { type AccountDeps, accountMethods, type Keys } from '../rpc/accounts/account-methods.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { type ImpersonatedSenders, toMark } from './senders.ts';

interface SendingDeps extends AccountDeps {
  readonly senders: ImpersonatedSenders;
}

/**
 * Methods by which a chain for tests gets transactions, signed ones too: the keys of accounts with funds are published, so that a
 * signature is no permission there.
 *
 * @param plain Those of every node.
 */
export function sendingMethods(plain: RpcMethods, { senders, ...deps }: SendingDeps): RpcMethods {
  /** Sends also for accounts without a key if `isTaken`; nothing is signed for these. */
  const sendFor = (isTaken: (account: Address) => boolean) => methodFor('eth_sendTransaction', deps, isTaken);
  return {
    ...Object.fromEntries(Object.entries(plain).filter(([name]) => name.startsWith('eth_sendRaw'))),
    ...accountMethods(deps),
    eth_sendTransaction: sendFor((account) => senders.has(account)),
    // The method is anvil's, for any sender.
    eth_sendUnsignedTransaction: sendFor(() => true),
  };
}

/** Answers as `eth_signTransaction` does, with a mark in place of a signature for accounts that are impersonated. */
export function signOrMark({ senders, ...deps }: SendingDeps): NonNullable<RpcMethods[string]> {
  return methodFor('eth_signTransaction', deps, (account) => senders.has(account));
}

function methodFor(
  name: 'eth_sendTransaction' | 'eth_signTransaction',
  deps: AccountDeps,
  isTaken: (account: Address) => boolean,
): NonNullable<RpcMethods[string]> {
  const { keys } = deps;
  const sign: Keys['sign'] = (account, digest) =>
    keys.sign(account, digest) ?? (isTaken(account) ? toMark(account) : undefined);
  const { [name]: method } = accountMethods({ ...deps, keys: { ...keys, sign } });
  if (method === undefined) throw new Error(`the methods of accounts lack ${name}`);
  return method;
}
