import type { Fields } from '../schema/shapes.ts';
import { isBlock } from '../schema/since.ts';
import { type Description, inPlace, type Type } from '../schema/type.ts';
import {
  describeParameters,
  getParameter,
  type Kinds,
  mapValues,
  type NamedDescription,
  type Parts,
  type TableDescription,
} from './document.ts';
import { checkRefusals } from './refusals.ts';
import { mustBeFree } from './reserved.ts';

const NAMES = /^[a-z][a-zA-Z0-9]{0,63}$/;
const MOST_ACTIONS = 1_024;
/** Types that a parameter of a query may have: those with one text. */
const TEXTS = new Set([
  ...['u32', 'u64', 'u128', 'i32', 'i64', 'i128', 'bool', 'oneOf'],
  ...['text', 'bytes', 'address', 'asset'],
]);

/** @throws {Error} naming invalid parts of a definition other than its types. */
export function checkParts(parts: Parts): void {
  const { name, version = 1, maxActions = 16, actions, events, refusals, tables, queries = {} } = parts;
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw new Error(
      `rollup ${JSON.stringify(name)}: expected a name of at most 64 lower-case letters, digits and hyphens`,
    );
  const place = `rollup "${name}"`;
  mustBeWhole('version', version, 0xffff_ffff);
  mustBeWhole('maxActions', maxActions, MOST_ACTIONS);
  inPlace(`${place}: refusals`, () => checkRefusals(mapValues(refusals, ({ fields }): Fields => fields)));
  for (const [each, { steps = 1 }] of Object.entries(actions))
    mustBeWhole(`${place}: action "${each}": steps`, steps, Number.MAX_SAFE_INTEGER);
  for (const [what, kinds] of Object.entries({ action: actions, event: events, refusal: refusals }))
    mustRise(place, what, kinds);
  if (Object.values(actions)[0]?.from !== undefined)
    throw new Error(`${place}: actions: expected at least one from the beginning`);
  mustBeOnce(place, tables);
  const genesis = mapValues(parts.genesis ?? {}, getParameter);
  inPlace(place, () => {
    mustBeFree('query', Object.keys(queries));
    mustBeFree('member', Object.keys(genesis));
    mustBeFree(
      'table',
      tables.map((table) => table.name),
    );
  });
  inPlace(`${place}: genesis`, () => describeParameters(genesis).forEach(mustHaveFallback));
  for (const [query, { parameters = {} }] of Object.entries(queries)) {
    if (!NAMES.test(query)) throw new Error(`query ${JSON.stringify(query)}: expected a name in lowerCamelCase`);
    for (const [parameter, { type }] of Object.entries(mapValues(parameters, getParameter)))
      mustHaveText(query, parameter, type);
  }
}

/** A member that begins later is in no genesis file of an older program. */
function mustHaveFallback(member: NamedDescription): void {
  if (member.from === undefined || member.before !== undefined || 'fallback' in member) return;
  throw new Error(
    `member "${member.name}" begins at block ${member.from}: expected fallback(since(block, type), value)`,
  );
}

function mustHaveText(query: string, parameter: string, { description }: Type<unknown>): void {
  const inner = description.type === 'option' ? (description.value as Description) : description;
  if (TEXTS.has(inner.type)) return;
  throw new Error(`query "${query}": parameter "${parameter}": expected a type of one value, got ${inner.type}`);
}

function mustBeOnce(place: string, tables: readonly TableDescription[]): void {
  const places = new Map<string, number>();
  for (const [at, { name: table }] of tables.entries()) {
    const other = places.get(table);
    if (other !== undefined)
      throw new Error(
        `${place}: tables[${at}] and tables[${other}] both have the name "${table}", and so the same rows`,
      );
    places.set(table, at);
  }
}

/** Numbers follow the order, so that later ones come last. */
function mustRise(place: string, what: string, kinds: Kinds): void {
  let before = 0n;
  for (const [part, { from }] of Object.entries(kinds)) {
    const item = `${place}: ${what} "${part}"`;
    if (from !== undefined && !isBlock(from)) throw new Error(`${item}: from: expected a block from 1 on, got ${from}`);
    const block = from ?? 0n;
    if (block < before) throw new Error(`${item} has to stand before parts of later blocks, as block ${before}`);
    before = block;
  }
}

function mustBeWhole(what: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${what}: expected a whole number from 1 to ${most}, got ${value}`);
}
