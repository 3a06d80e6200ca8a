import { type Facts, REJECTION_CODES } from '@switchyard/protocol';
import { OWN_CODES, OwnRefusal } from '../app/own-refusal.ts';
import { decode, encode } from '../schema/codec.ts';
import { type Fields, type RecordOf, record } from '../schema/shapes.ts';
import type { NameOf } from '../schema/type.ts';
import type { KindUnion } from './events.ts';
import { mustHaveBegun } from './type-by-block.ts';

/* Refusals of a rollup's own: reasons for which its actions have no effect, with facts for programs. */

/** Makes the error that a handler throws. @throws {InvalidData} for facts that do not have their types. */
export interface RefusalType<K extends string, F extends Fields> {
  // A refusal without facts is made without any.
  (...facts: Record<never, never> extends RecordOf<F> ? [facts?: RecordOf<F>] : [facts: RecordOf<F>]): OwnRefusal;
  readonly kind: K;
  readonly help: string;
  readonly fields: F;
  /** First block of the refusal, if a running chain gets it. */
  readonly from?: bigint | undefined;
  /** Facts of an error of a client, if it is this refusal. */
  factsOf(error: unknown): RecordOf<F> | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a refusal takes the values of its own fields
export type Refusals = readonly RefusalType<string, any>[];

/** Bytes of the facts of a refusal, at most: a block keeps those of many. */
const MOST_BYTES = 1_024;
/** Its code is one byte of a receipt, whose upper half these have. */
const MOST_REFUSALS = 128;

/** A refusal that handlers throw, listed in `refusals`, later ones behind the others. See the example of {@link event}. */
export function refusal<const K extends string, const F extends Fields = Record<never, never>>(
  kind: K,
  fields = {} as F,
  { help = '', from }: { readonly help?: string; readonly from?: bigint } = {},
): RefusalType<K, F> {
  const type = record(fields);
  const make = (facts = {} as RecordOf<F>): OwnRefusal => {
    mustHaveBegun(`refusal ${kind}`, from);
    return new OwnRefusal(kind, shown(type.toJson(facts)), encode(type, facts), 0);
  };
  return Object.assign(make, {
    ...{ kind, help, fields, from },
    factsOf: (error: unknown) =>
      // The client read them by the fields of this kind.
      error instanceof Error && 'kind' in error && error.kind === kind && 'facts' in error
        ? (error.facts as RecordOf<F>)
        : undefined,
  });
}

/** Facts as the message has them. */
function shown(json: unknown): Facts {
  const entries = Object.entries(json as object).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : value]),
  );
}

/** @throws {Error} naming a refusal that cannot be one. */
export function checkRefusals(refusals: Readonly<Record<string, Fields>>): void {
  const kinds = Object.keys(refusals);
  if (kinds.length > MOST_REFUSALS) throw new Error(`expected at most ${MOST_REFUSALS}, got ${kinds.length}`);
  const taken = kinds.find((kind) => Object.hasOwn(REJECTION_CODES, kind));
  if (taken !== undefined) throw new Error(`"${taken}" is a reason that every rollup has: choose another name`);
  for (const [kind, fields] of Object.entries(refusals)) {
    const { maxBytes } = record(fields);
    if (maxBytes > MOST_BYTES)
      throw new Error(`the facts of "${kind}" may take ${maxBytes} bytes, at most ${MOST_BYTES} are possible`);
  }
}

/** The error of a handler, whose own refusals get their numbers; another error for an unlisted refusal. */
export function numbered(kinds: readonly string[], error: unknown): unknown {
  if (!(error instanceof OwnRefusal)) return error;
  const at = kinds.indexOf(error.kind);
  if (at >= 0) return error.numbered(at + 1);
  return new Error(`refusal ${JSON.stringify(error.kind)} is not listed in the refusals of the definition`);
}

/** A refusal with its facts, if those are kept. @param code As it stands in a receipt. */
export function refusalJson(type: KindUnion | undefined, code: number, facts: Uint8Array | undefined, nameOf?: NameOf) {
  const found = type?.cases.find(({ number }) => OWN_CODES + number === code);
  if (found === undefined) return undefined;
  // The fields of an object.
  const values = facts && (found.type.toJson(decode(found.type, facts), nameOf) as object);
  return { kind: found.name, ...(values && { facts: values }) };
}
