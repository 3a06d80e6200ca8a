import { typeByBlock } from '#rows';
import type { EncodedEvent, NamedEvent } from '../app/commits.ts';
import { encode } from '../schema/codec.ts';
import { type Fields, list, type RecordOf, record, type UnionOf, type UnionType, union } from '../schema/shapes.ts';
import { mustHaveBegun } from './type-by-block.ts';

/* Events of a rollup's own: effects of a transaction, for readers of its outcome and followers of the rollup. */

/** Takes the events of an action. */
export interface Emitter {
  emit(event: NamedEvent): void;
}

/** An event with the types of its fields. */
export interface EventType<K extends string, F extends Fields> {
  readonly kind: K;
  readonly help: string;
  readonly fields: F;
  /** First block of the event, if a running chain gets it. */
  readonly from?: bigint | undefined;
  /** @throws {Error} for an event that the definition does not list, and for fields that do not have their types. */
  emit(context: Emitter, fields: RecordOf<F>): void;
}

/** Events of a definition. */
// biome-ignore lint/suspicious/noExplicitAny: an event takes the values of its own fields
export type Events = readonly EventType<string, any>[];

type FieldsOf<E extends Events> = { readonly [T in E[number] as T['kind']]: T['fields'] };
/** One of the events, by its `kind`. */
export type EventOf<E extends Events> = UnionOf<FieldsOf<E>>;

/**
 * An event that actions emit. The definition lists it in `events`, later ones behind the others.
 * @example
 * ```ts
 * const traded = event('traded', { price: u64 });
 * const notOpen = refusal('not-open', { market: u32 }, { help: 'the market takes no orders' });
 * if (context.height > 100n) throw notOpen({ market: 7 });
 * traded.emit(context, { price: 5n });
 * ```
 */
export function event<const K extends string, const F extends Fields>(
  kind: K,
  fields: F,
  { help = '', from }: { readonly help?: string; readonly from?: bigint } = {},
): EventType<K, F> {
  return {
    ...{ kind, help, fields, from },
    emit(context, values) {
      mustHaveBegun(`event ${kind}`, from);
      // The kind first, as a member that is added to a copy takes ten times as long; values may have another one.
      const named: { kind: string } = { kind, ...values };
      named.kind = kind;
      context.emit(named);
    },
  };
}

export type KindUnion = UnionType<Readonly<Record<string, Fields>>>;

/** Events of a transaction that are stored together, at most; the rules of the chain bound them further. */
const MOST_EVENTS = 1_024;

/** Encodes events so that the bytes of several, one after another, are those of all. */
export function eventCodec(type: KindUnion | undefined) {
  const stored = record({ events: list(type ?? union({ none: {} }), { maxItems: MOST_EVENTS }) });
  const typeNow = typeByBlock(stored);
  const known = new Set(type?.cases.map(({ name }) => name));
  return {
    stored,
    /** @throws {Error} for an event that is not listed. @throws {InvalidData} for fields that do not have their types. */
    encoded(value: NamedEvent): EncodedEvent {
      if (!known.has(value.kind))
        throw new Error(`event ${JSON.stringify(value.kind)} is not listed in the events of the definition`);
      return { value, bytes: encode(typeNow(), { events: [value as never] }) };
    },
  };
}
