import { type AccountId, type AssetId, ibcForm, parseDenom } from '@switchyard/protocol';
import type { Type } from '@switchyard/rollup';
import { BadOptions } from '../bad-options.ts';
import type { Chance } from './chance.ts';

/** Facts from which a value is made. */
export interface ValueFacts {
  readonly chance: Chance;
  readonly signer: AccountId;
  /** All accounts that sign. */
  readonly accounts: readonly AccountId[];
  /** Asset of the sequencer. */
  readonly asset: AssetId;
}

export type Fields = Readonly<Record<string, Type<unknown>>>;
type Description = Type<unknown>['description'];

const WORDS = ['', 'a', 'b', 'ab', 'a b', 'ä', '/', '0'];
const PREFIX = 'astria';
const STRANGER = 'ee'.repeat(20);
const MOST_ITEMS = 3;

/** Values of fields by their types: mostly small ones, so that actions meet each other's rows, and now and then the greatest. */
export function getValues(fields: Fields, facts: ValueFacts): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, { description }]) => [name, made(name, description, facts)]);
  return Object.fromEntries(entries);
}

function made(name: string, description: Description, facts: ValueFacts): unknown {
  const make = MAKERS[description.type];
  if (make === undefined)
    throw new BadOptions(`values: there is no value of type ${description.type} for ${name}: make it`);
  // The members of a description are those of its type.
  return make(description as never, facts, name);
}

type Maker = (description: never, facts: ValueFacts, name: string) => unknown;
interface Items {
  readonly maxItems: number;
}
interface Described {
  readonly fields: readonly ({ readonly name: string } & Description)[];
}

const MAKERS: Readonly<Record<string, Maker>> = {
  u32: (_, { chance }) => Number(unsigned(32n, chance)),
  u64: (_, { chance }) => unsigned(64n, chance),
  u128: (_, { chance }) => unsigned(128n, chance),
  i32: (_, { chance }) => Number(signed(32n, chance)),
  i64: (_, { chance }) => signed(64n, chance),
  i128: (_, { chance }) => signed(128n, chance),
  oneOf: ({ words }: { readonly words: readonly string[] }, { chance }) => chance.pick(words),
  bool: (_, { chance }) => chance.happens(0.5),
  address: (_, { chance, accounts }) => (chance.happens(0.05) ? STRANGER : chance.pick(accounts)),
  asset: (_, { asset }) => asset,
  textAddress: (_, { chance, accounts }) => ({ account: chance.pick(accounts), prefix: PREFIX }),
  textAsset: (_, { asset }) => parseDenom(ibcForm(asset)),
  text: ({ maxBytes }: { readonly maxBytes: number }, { chance }) =>
    chance.happens(0.05) ? 'x'.repeat(maxBytes) : chance.pick(WORDS).slice(0, Math.floor(maxBytes / 2)),
  bytes: ({ maxBytes = 0, length }: { readonly maxBytes?: number; readonly length?: number }, { chance }) =>
    new Uint8Array(length ?? chance.integer(0, Math.min(maxBytes, 4))).fill(chance.integer(0, MOST_ITEMS)),
  option: ({ value }: { readonly value: Description }, facts, name) =>
    facts.chance.happens(0.5) ? undefined : made(name, value, facts),
  list: ({ item, maxItems }: { readonly item: Description } & Items, facts, name) =>
    items(maxItems, facts, () => made(name, item, facts)),
  map: ({ key, value, maxItems }: Record<'key' | 'value', Description> & Items, facts, name) =>
    new Map(items(maxItems, facts, () => [made(name, key, facts), made(name, value, facts)])),
  record: ({ fields }: Described, facts) => recordOf(fields, facts),
  union: ({ cases }: { readonly cases: readonly ({ readonly name: string } & Described)[] }, facts) => {
    const { name: kind, fields } = facts.chance.pick(cases);
    return { kind, ...recordOf(fields, facts) };
  },
};

const recordOf = (fields: Described['fields'], facts: ValueFacts) =>
  Object.fromEntries(fields.map(({ name, ...description }) => [name, made(name, description, facts)]));

function unsigned(bits: bigint, chance: Chance): bigint {
  if (chance.happens(0.05)) return (1n << bits) - 1n;
  return BigInt(chance.integer(0, chance.pick([3, 10, 1_000])));
}

function signed(bits: bigint, chance: Chance): bigint {
  const value = unsigned(bits - 1n, chance);
  return chance.happens(0.5) ? value : -value - 1n;
}

const items = <T>(most: number, { chance }: ValueFacts, item: () => T): readonly T[] =>
  Array.from({ length: chance.integer(0, Math.min(most, MOST_ITEMS)) }, item);
