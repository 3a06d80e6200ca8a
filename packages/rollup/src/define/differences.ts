import { Input } from '@switchyard/service/input';
import { typeFrom } from '../schema/type-from.ts';
import { isPart, partsAt } from './eras.ts';

/** A change of a definition, in words. */
export interface Difference {
  /** Such as `table markets: field fee`. */
  readonly place: string;
  readonly change: string;
  /**
   * `planned` has a block from which it holds. `open` could have one and has none, `lost` lost its block.
   * `refused` is possible for no running chain.
   */
  readonly kind: 'planned' | 'open' | 'lost' | 'refused';
  /** Block of a planned one. */
  readonly from?: bigint;
}

export interface Comparison<D> {
  readonly differences: readonly Difference[];
  /** The newer document, in which open changes begin at the block after the last executed one. */
  readonly document: D;
}

type Part = Readonly<Record<string, unknown>>;

/** Members that change no block: queries are answered by the program that runs, indexes are derived. */
const FREE = new Set(['help', 'queries', 'indexes', 'search', 'fingerprint', 'typeUrl', 'chainId']);
/** Place of the whole definition. */
const WHOLE = '';
/** Lists of parts with names, and the word for one of them. */
const NAMED: Readonly<Record<string, string>> = {
  actions: 'action',
  events: 'event',
  refusals: 'refusal',
  genesis: 'genesis member',
  tables: 'table',
  fields: 'field',
  cases: 'case',
  migrations: 'migration',
};
const BOUNDS = new Set(['maxBytes', 'maxItems']);

/**
 * Compares the definition that a chain runs with its replacement.
 *
 * @param soft The last block that is executed: parts of the first definition that begin later have had no effect.
 */
export function compareDefinitions<D>(running: unknown, next: D, soft: bigint): Comparison<D> {
  const found: Difference[] = [];
  const begun = partsAt(running, soft, true);
  if (!isPart(begun)) throw new Error('the stored definition is no document');
  const comparing = new Comparing(soft, found);
  // It has the members of the newer one.
  const document = comparing.members(WHOLE, begun, next as Part).part;
  return { differences: found, document: document as D };
}

class Comparing {
  constructor(
    readonly soft: bigint,
    readonly found: Difference[],
  ) {}

  /** Members of two parts. @returns the newer one, and whether it takes more values on its own. */
  members(place: string, old: Part, next: Part): { readonly part: Part; readonly wider: readonly string[] } {
    const wider: string[] = [];
    if (old.type !== next.type) {
      this.#add('refused', place, `is ${shown(next.type)}, was ${shown(old.type)}`);
      return { part: next, wider };
    }
    const part: Record<string, unknown> = { ...next };
    for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
      const [was, is] = [old[name], next[name]];
      if (FREE.has(name) || name === 'from' || name === 'before') continue;
      if (Array.isArray(is) && Array.isArray(was) && NAMED[name] !== undefined)
        part[name] = this.#named(place, name, was, is, wider);
      else if (isPart(was) && isPart(is)) part[name] = this.#pair(inner(place, name), was, is);
      else if (BOUNDS.has(name) && Number(is) > Number(was)) wider.push(`${name} is ${is}, was ${was}`);
      else if (isBegin(was, is)) wider.push(`${name} are ${shown(is)}, were ${shown(was)}`);
      else if (!isEqual(was, is)) this.#add('refused', place, `${name} is ${shown(is)}, was ${shown(was)}`);
    }
    return { part, wider };
  }

  /** A part that both have. */
  #pair(place: string, old: Part, next: Part): Part {
    const { from, before } = next;
    if (from === undefined || from === old.from) {
      const { part, wider } = this.members(place, old, next);
      if (wider.length > 0) {
        this.#add('open', place, wider.join(', '));
        return { ...part, from: String(this.soft + 1n), before: old };
      }
      if (from !== old.from) this.#add('lost', place, `began at block ${old.from}, and has no block any more`);
      return { ...part, ...pick(old, ['from', 'before']) };
    }
    if (!isPart(before)) {
      const since =
        old.from === undefined ? 'it is there already, and no type before is stated' : `it began at ${old.from}`;
      this.#add('refused', place, `begins at block ${from}, but ${since}`);
      return next;
    }
    const count = this.found.length;
    this.#pair(place, old, { ...pick(next, OF_PLACE), ...before });
    const wrong = this.found.splice(count);
    for (const { change } of wrong) this.#add('refused', place, `has another type before block ${from}: ${change}`);
    this.#planned(place, from, 'has another type');
    return next;
  }

  #named(place: string, list: string, was: readonly unknown[], is: readonly unknown[], wider: string[]): unknown[] {
    const olds = new Map(was.map((each) => [(each as Part).name, each as Part]));
    const names = new Set(is.map((each) => (each as Part).name));
    const word = NAMED[list] ?? list;
    for (const [name, old] of olds) {
      if (!names.has(name) && isOfBlocks(old)) this.#add('refused', below(place, word, name), 'is no more');
    }
    return is.map((each) => {
      const next = each as Part;
      const old = olds.get(next.name);
      const at = below(place, word, next.name);
      if (old !== undefined) return isOfBlocks(next) || isOfBlocks(old) ? this.#pair(at, old, next) : next;
      if (list === 'cases') wider.push(`case ${next.name} is new`);
      return list === 'cases' || !isOfBlocks(next) ? next : this.#added(at, list, next);
    });
  }

  #added(place: string, list: string, next: Part): Part {
    if (next.from !== undefined) {
      this.#planned(place, next.from, 'is new');
      return next;
    }
    const needs =
      list === 'genesis' ? !('fallback' in next) && next.type !== 'option' : list === 'fields' && isRequired(next);
    const open = list === 'fields' || list === 'genesis' ? 'is new and has a default' : 'is new';
    this.#add(needs ? 'refused' : 'open', place, needs ? 'is new and has no default' : open);
    return { ...next, from: String(this.soft + 1n) };
  }

  #planned(place: string, block: unknown, change: string): void {
    const from = BigInt(String(block));
    if (from > this.soft) this.found.push({ kind: 'planned', place, change: `${change} from block ${from} on`, from });
    else this.#add('refused', place, `${change} from block ${from} on, but blocks up to ${this.soft} are executed`);
  }

  #add(kind: Exclude<Difference['kind'], 'planned'>, place: string, change: string): void {
    this.found.push({ kind, place, change });
  }
}

const OF_PLACE = ['name', 'number', 'fallback'];

/** Derived tables are no part of any block. */
const isOfBlocks = ({ state }: Part) => state !== 'derived';
const below = (place: string, word: string, name: unknown) =>
  `${place === WHOLE ? '' : `${place}: `}${word} ${String(name)}`;
const inner = (place: string, name: string) => (name === 'value' || name === 'item' ? place : `${place}: ${name}`);
const shown = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value));
const isEqual = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);
const isBegin = (was: unknown, is: unknown) =>
  Array.isArray(was) &&
  Array.isArray(is) &&
  is.every((each) => typeof each === 'string') &&
  is.length > was.length &&
  isEqual(was, is.slice(0, was.length));

function pick(part: Part, names: readonly string[]): Part {
  return Object.fromEntries(names.filter((name) => name in part).map((name) => [name, part[name]]));
}

function isRequired(field: Part): boolean {
  return typeFrom(new Input(field, 'field')).presence === 'required';
}

/** One line of a report. */
export function differenceLine({ place, change }: Difference): string {
  return place === WHOLE ? change : `${place} ${change}`;
}

/** Parts of a client's definition that a node lacks, in words; parts that the node alone has are left out. */
export function lacking(client: object, node: object): readonly string[] {
  const newest = partsAt(node, EVER);
  if (newest === undefined) return ['no definition'];
  const { differences } = compareDefinitions(client, newest, EVER);
  return differences.filter(({ kind }) => kind === 'refused').map(differenceLine);
}

/** After the block of any part. */
const EVER = (1n << 64n) - 1n;
