import { isEngineAtWork, NodeFault } from '@switchyard/machine/browser';

/**
 * Sources of time, chance and I/O, and of the settings of a machine, which differ between nodes. While a block runs they throw: what
 * a handler would make of them is a different state on each node, found only when roots differ. The engine of the store uses them as ever.
 *
 * This finds mistakes and is no sandbox: functions kept from before, and modules of Node, stay unsealed.
 */
const { process: ofNode } = globalThis as { process?: typeof process };
const SOURCES: readonly (readonly [object, readonly string[], string])[] = [
  [Math, ['random'], 'Math.'],
  [performance, ['now'], 'performance.'],
  [crypto, ['getRandomValues', 'randomUUID'], 'crypto.'],
  [globalThis, ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'], ''],
  ...(ofNode === undefined ? [] : [[ofNode, ['hrtime', 'uptime', 'memoryUsage', 'cpuUsage'], 'process.'] as const]),
  [Number.prototype, ['toLocaleString'], 'Number.prototype.'],
  [BigInt.prototype, ['toLocaleString'], 'BigInt.prototype.'],
  [Array.prototype, ['toLocaleString'], 'Array.prototype.'],
  [String.prototype, ['localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase'], 'String.prototype.'],
  // In the time zone of the machine, as against their twins in UTC.
  [
    Date.prototype,
    [
      ...['getDate', 'getDay', 'getFullYear', 'getHours', 'getMinutes', 'getMonth', 'getSeconds', 'getTimezoneOffset'],
      ...['setDate', 'setFullYear', 'setHours', 'setMinutes', 'setMonth', 'setSeconds'],
      ...['toDateString', 'toTimeString', 'toString', 'toLocaleDateString', 'toLocaleString', 'toLocaleTimeString'],
    ],
    'Date.prototype.',
  ],
];

/** Objects that throw when a member of them is read. */
const OBJECTS: readonly (readonly [object, string, string])[] = [
  ...(ofNode === undefined ? [] : [[ofNode, 'env', 'process.env'] as const]),
  [globalThis, 'Intl', 'Intl'],
];

/** Runs synchronous, deterministic code, once for a block: the sources are put back when it ends. */
export function sealedWorld<T>(work: () => T): T {
  const undo = [
    replaced(globalThis, 'Date', sealedDate),
    replaced(performance, 'timeOrigin', () => 'performance.timeOrigin'),
    ...OBJECTS.map(([item, name, shown]) =>
      replaced(item, name, (original) => sealedObject(original as object, shown)),
    ),
    ...SOURCES.flatMap(([item, names, before]) =>
      names.map((name) => replaced(item, name, (original) => sealedFunction(original as Call, `${before}${name}()`))),
    ),
  ];
  try {
    return work();
  } finally {
    for (const putBack of undo) putBack();
  }
}

/** Sealed sources by their originals. */
const made = new WeakMap<object, unknown>();

/**
 * @param seal Makes the sealed source, once; of a member that has no value of its own, the name.
 * @returns a function that restores the original.
 */
function replaced(item: object, name: string, seal: (original: unknown) => unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(item, name);
  const original: unknown = Reflect.get(item, name);
  if (typeof original !== 'object' && typeof original !== 'function') {
    const get = (): unknown => {
      mustBeEngine(String(seal(original)));
      return original;
    };
    Object.defineProperty(item, name, { configurable: true, get });
  } else {
    const sealed = made.get(original as object) ?? seal(original);
    made.set(original as object, sealed);
    // An assignment, if one is possible: another shape of a prototype makes the engine compile its users again.
    if (own?.writable === true) Reflect.set(item, name, sealed);
    else Object.defineProperty(item, name, { configurable: true, writable: true, enumerable: true, value: sealed });
  }
  return () => {
    // Without one of its own it has that of its prototype again.
    if (own === undefined) Reflect.deleteProperty(item, name);
    else if (own.writable === true) Reflect.set(item, name, own.value);
    else Object.defineProperty(item, name, own);
  };
}

function mustBeEngine(name: string): void {
  if (isEngineAtWork()) return;
  throw new NodeFault(
    `${name} is not for a handler, since its result differs between nodes: time and height are in the context`,
  );
}

function sealedObject(original: object, name: string): object {
  const checked = (): undefined => void mustBeEngine(name);
  return new Proxy(original, {
    get: (target, member) => checked() ?? Reflect.get(target, member),
    has: (target, member) => checked() ?? Reflect.has(target, member),
    ownKeys: (target) => checked() ?? Reflect.ownKeys(target),
  });
}

type Call = (...args: readonly unknown[]) => unknown;

function sealedFunction(original: Call, name: string): Call {
  function sealed(this: unknown, ...args: unknown[]): unknown {
    mustBeEngine(name);
    return original.apply(this, args);
  }
  // `process.hrtime.bigint`
  return Object.assign(sealed, { bigint: sealed });
}

/** Texts of the standard without a zone are in that of the machine, other texts are up to the engine. */
const IN_UTC = /^[+-]?\d{4,6}(-\d\d){0,2}$|T.*(Z|[+-]\d\d:\d\d)$/;

function sealedDate(original: unknown): unknown {
  return new Proxy(original as typeof Date, {
    construct(target, args, made) {
      // With a number or a text it is a calculation.
      if (args.length === 0) mustBeEngine('new Date()');
      const [first] = args;
      if (args.length > 1 || (typeof first === 'string' && !IN_UTC.test(first))) {
        mustBeEngine('new Date() in the time zone of the machine');
      }
      return Reflect.construct(target, args, made);
    },
    apply(target, self, args) {
      mustBeEngine('Date()');
      return Reflect.apply(target, self, args);
    },
    get(target, member) {
      if (member === 'now') mustBeEngine('Date.now()');
      if (member === 'parse') mustBeEngine('Date.parse()');
      return Reflect.get(target, member);
    },
  });
}
