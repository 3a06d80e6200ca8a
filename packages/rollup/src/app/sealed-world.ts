import { isEngineAtWork } from '@switchyard/machine';

/**
 * Sources of time, chance and I/O, which differ between nodes. While a block runs they throw: what a handler would make of
 * them is another state on each node, found only when roots differ. The engine of the store uses them as ever.
 *
 * This finds mistakes and is no sandbox: a function that was kept before, and modules of Node, stay as they are.
 */
const SOURCES: readonly (readonly [object, readonly string[], string])[] = [
  [Math, ['random'], 'Math.'],
  [performance, ['now'], 'performance.'],
  [crypto, ['getRandomValues', 'randomUUID'], 'crypto.'],
  [globalThis, ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'], ''],
];

/** Runs what is synchronous and deterministic, once for a block: the sources are put back when it ends. */
export function sealedWorld<T>(work: () => T): T {
  const undo = [
    replaced(globalThis, 'Date', sealedDate(Date)),
    ...SOURCES.flatMap(([of, names, before]) =>
      names.map((name) => replaced(of, name, sealedFunction(Reflect.get(of, name), `${before}${name}()`))),
    ),
  ];
  try {
    return work();
  } finally {
    for (const putBack of undo) putBack();
  }
}

/** @returns a function that puts back what was there. */
function replaced(of: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, { configurable: true, writable: true, enumerable: own?.enumerable ?? true, value });
  return () => {
    // Without one of its own it has that of its prototype again.
    if (own === undefined) Reflect.deleteProperty(of, name);
    else Object.defineProperty(of, name, own);
  };
}

function mustBeEngine(name: string): void {
  if (isEngineAtWork()) return;
  throw new Error(
    `${name} is not for a handler, since its result differs between nodes: time and height are in the context`,
  );
}

function sealedFunction(original: (...args: readonly unknown[]) => unknown, name: string) {
  return function sealed(this: unknown, ...args: unknown[]): unknown {
    mustBeEngine(name);
    return original.apply(this, args);
  };
}

function sealedDate(original: typeof Date): typeof Date {
  return new Proxy(original, {
    construct(target, args, made) {
      // With a number or a text it is a calculation.
      if (args.length === 0) mustBeEngine('new Date()');
      return Reflect.construct(target, args, made);
    },
    apply(target, self, args) {
      mustBeEngine('Date()');
      return Reflect.apply(target, self, args);
    },
    get(target, member) {
      if (member === 'now') mustBeEngine('Date.now()');
      return Reflect.get(target, member);
    },
  });
}
