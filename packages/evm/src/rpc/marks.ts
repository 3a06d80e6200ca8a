import type { JsonRpcMethod } from '@switchyard/service/json-rpc';
import type { RpcMethods } from './deps.ts';

/** Properties of a method that decide where and how it is answered. */
export interface Marks {
  /** It may take long, and takes nothing but the chain: if there are threads it begins here, and begins again in one. */
  readonly mayMove?: boolean;
  /** Its answers may be tens of megabytes, and are made only while their readers take them. */
  readonly isLarge?: boolean;
  /** Calls that follow each other in a batch are begun in their order, without waiting for the ones before. */
  readonly isBegunTogether?: boolean;
}

/** Marks of methods that run or search the chain. */
export const MOVABLE: Marks = { mayMove: true };
export const MOVABLE_AND_LARGE: Marks = { mayMove: true, isLarge: true };

const NONE: Marks = {};
const marksOfMethods = new WeakMap<JsonRpcMethod, Marks>();

/** Gives methods the same marks. */
export function marked(marks: Marks, methods: RpcMethods): RpcMethods {
  for (const method of Object.values(methods)) marksOfMethods.set(method, marks);
  return methods;
}

export function getMarks(method: JsonRpcMethod): Marks {
  return marksOfMethods.get(method) ?? NONE;
}

/** Replaces methods by others around them, which keep the marks. */
export function wrapped(methods: RpcMethods, wrap: (name: string, method: JsonRpcMethod) => JsonRpcMethod): RpcMethods {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => {
      const around = wrap(name, method);
      marksOfMethods.set(around, getMarks(method));
      return [name, around];
    }),
  );
}

export function namesWith(mark: keyof Marks, methods: RpcMethods): ReadonlySet<string> {
  const names = Object.entries(methods).flatMap(([name, method]) => (getMarks(method)[mark] === true ? [name] : []));
  return new Set(names);
}
