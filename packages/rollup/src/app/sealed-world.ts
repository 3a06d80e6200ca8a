/**
 * Sources of time, chance and I/O, which differ between nodes. While a block runs they throw: what a handler would make of
 * them is another state on each node, found only when roots differ.
 *
 * This finds mistakes and is no sandbox: a function that was kept before, and modules of Node, stay as they are.
 */
interface Source {
  readonly of: object;
  readonly name: string;
  /** Stands in its place while a block runs. */
  readonly sealed: unknown;
}

function refusing(name: string): () => never {
  return () => {
    throw new Error(
      `${name} is not for a handler, since its result differs between nodes: time and height are in the context`,
    );
  };
}

const sealedDate = new Proxy(Date, {
  construct(target, args, made) {
    // With a number or a text it is a calculation.
    return args.length === 0 ? refusing('new Date()')() : Reflect.construct(target, args, made);
  },
  apply: refusing('Date()'),
  get: (target, member) => (member === 'now' ? refusing('Date.now()') : Reflect.get(target, member)),
});

const FUNCTIONS: readonly (readonly [object, readonly string[], string])[] = [
  [Math, ['random'], 'Math.'],
  [performance, ['now'], 'performance.'],
  [crypto, ['getRandomValues', 'randomUUID'], 'crypto.'],
  [globalThis, ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'], ''],
];

const SOURCES: readonly Source[] = [
  { of: globalThis, name: 'Date', sealed: sealedDate },
  ...FUNCTIONS.flatMap(([of, names, before]) =>
    names.map((name) => ({ of, name, sealed: refusing(`${before}${name}()`) })),
  ),
];

/** Runs what is synchronous and deterministic, once for a block: the sources are put back when it ends. */
export function sealedWorld<T>(work: () => T): T {
  // Others may have replaced them meanwhile, such as a simulation of time.
  const before = SOURCES.map(({ of, name, sealed }) => {
    const own = Object.getOwnPropertyDescriptor(of, name);
    Object.defineProperty(of, name, {
      configurable: true,
      writable: true,
      enumerable: own?.enumerable ?? true,
      value: sealed,
    });
    return own;
  });
  try {
    return work();
  } finally {
    SOURCES.forEach(({ of, name }, at) => {
      const own = before[at];
      // Without one of its own it has that of its prototype again.
      if (own === undefined) Reflect.deleteProperty(of, name);
      else Object.defineProperty(of, name, own);
    });
  }
}
