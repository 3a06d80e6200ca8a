import { type AccountId, accountIdFromBytes, fromHex, parseAddress } from '@switchyard/protocol';
import { type Contract, schema } from '@switchyard/service/contract';

/** Only the 20 bytes of an address count, regardless of its prefix. @throws {Rejected} */
export function parseAccount(given: string): AccountId {
  return /^[0-9a-f]{40}$/i.test(given) ? accountIdFromBytes(fromHex(given)) : parseAddress(given);
}

type Named = { readonly address: schema.Schema<string> };

/** A route of an account, which clients give as text. */
export function ofAccount<Q extends schema.Members, A extends Contract['answers']>(
  contract: Contract<Named, Q, undefined, A>,
): Contract<{ readonly address: schema.Schema<AccountId> }, Q, undefined, A> {
  const expected = 'a bech32m address of 20 bytes, or 40 hex digits';
  const address = schema.parsed(contract.path?.address.json ?? {}, expected, parseAccount);
  return { ...contract, path: { address } };
}
