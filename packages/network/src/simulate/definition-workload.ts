import { createSigner, fromHex, parseDenom } from '@switchyard/protocol';
import { type DefinitionClient, signTransaction } from '@switchyard/rollup/client';
import type { AnyRollup } from '@switchyard/rollup/internal';
import type { Invariants } from '@switchyard/rollup/invariants';
import { alice, bob, carol, type DevAccount } from '../accounts/accounts.ts';
import { BadOptions } from '../bad-options.ts';
import { type Fields, getValues, type ValueFacts } from './generate.ts';
import type { MadeTransaction, TransactionFacts } from './workload.ts';

// biome-ignore lint/suspicious/noExplicitAny: a client of any definition
export type AnyClient = DefinitionClient<any, any, any>;
type FieldsOf<Submit> = Submit extends (fields: infer F, ...rest: never) => unknown ? F : never;

/** Transactions of a definition: by the types of its actions, and additions of its author. */
export interface DefinitionWorkload<Client = AnyClient> {
  /** Accounts that send; alice, bob and carol, if absent. */
  readonly actors?: readonly DevAccount[];
  /** How often an action is taken in comparison with others, as whole numbers; 1, if absent. */
  readonly weights?: { readonly [K in keyof ActionsOf<Client>]?: number };
  /** Makes some fields of an action, in place of values that follow from their types. */
  readonly values?: {
    readonly [K in keyof ActionsOf<Client>]?: (facts: ValueFacts) => Partial<FieldsOf<ActionsOf<Client>[K]>>;
  };
  /** Rules of the state, each of which is looked at after each commit. */
  readonly invariants?: Invariants;
}

type ActionsOf<Client> = Client extends { readonly submit: infer Submit } ? Submit : Record<never, never>;

/** @throws {BadOptions} for names that the definition does not have. */
export function definitionWorkload(
  { definition: defined, takesDeposits }: { readonly definition: AnyRollup; readonly takesDeposits: boolean },
  { actors = [alice, bob, carol], weights = {}, values = {} }: DefinitionWorkload,
  denom: string,
) {
  const fields: ReadonlyMap<string, Fields> = defined.fields;
  for (const [option, names] of Object.entries({ weights, values })) {
    const unknown = Object.keys(names).find((name) => !fields.has(name));
    if (unknown !== undefined) throw new BadOptions(`${option}: there is no action ${unknown}`);
  }
  const kinds = [...fields.keys()].flatMap((kind) => Array.from({ length: weights[kind] ?? 1 }, () => kind));
  if (actors.length === 0 || kinds.length === 0)
    throw new BadOptions('simulate: expected an actor and an action with a weight above 0');
  const accounts = actors.map(({ key }) => createSigner(fromHex(key)).account);
  const asset = parseDenom(denom).id;
  return {
    ...{ senders: actors, depositor: takesDeposits ? actors.at(-1) : undefined },
    async transaction({ account, nonce, chainId, chance }: TransactionFacts): Promise<MadeTransaction> {
      const signer = createSigner(fromHex(account.key));
      const kind = chance.pick(kinds);
      const facts = { chance, signer: signer.account, accounts, asset };
      const action = { ...getValues(fields.get(kind) ?? {}, facts), ...values[kind]?.(facts), kind };
      const bytes = await signTransaction(defined, { nonce, chainId, actions: [action] }, signer);
      return { bytes, text: JSON.stringify(defined.actionJson(action)) };
    },
  };
}
