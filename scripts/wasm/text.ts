import createWabt from 'wabt';

/* WebAssembly modules, which are written as text and assembled by WABT. */

const wabt = await createWabt();

/** Vectors and bulk memory are the only features beyond WebAssembly 1.0 that all supported platforms have. */
const FEATURES = { simd: true, bulk_memory: true };
const NEWER = ['exceptions', 'threads', 'tail_call', 'reference_types', 'multi_value', 'gc', 'memory64'] as const;

/** Fills in a template of WebAssembly text. Each item of a list has a line of its own. */
export function wat(
  { raw }: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): string {
  return String.raw({ raw }, ...values.map((value) => (typeof value === 'object' ? value.join('\n') : value)));
}

/** Declares locals of a function. */
export function locals(type: 'i32' | 'i64', names: readonly string[]): string[] {
  return names.map((name) => `(local $${name} ${type})`);
}

/**
 * A module that exports one of its functions, and `memory`, of this many pages of 64 KiB.
 *
 * @param functions Their texts.
 * @throws {Error} If the text is not that of a valid module. Its message has the lines that make it invalid.
 */
export function wasmModule(exported: string, pages: number, functions: readonly string[]): Uint8Array {
  const text = wat`(module
    (memory (export "memory") ${pages})
    (export "${exported}" (func $${exported}))
    ${functions})`;
  const newer = Object.fromEntries(NEWER.map((name) => [name, false]));
  const module = wabt.parseWat(exported, text, { ...newer, ...FEATURES });
  try {
    module.resolveNames();
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}
