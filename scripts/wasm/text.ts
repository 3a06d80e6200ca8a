import binaryen from 'binaryen';

/* WebAssembly modules, which are written as text and assembled by Binaryen. */

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

const { BulkMemory, BulkMemoryOpt, SIMD128 } = binaryen.Features;

/**
 * A module that exports one of its functions, and `memory`, of this many pages of 64 KiB.
 *
 * @param functions Their texts.
 * @throws {Error} If the text is not that of a valid module. Binaryen prints what makes it invalid.
 */
export function wasmModule(exported: string, pages: number, functions: readonly string[]): Uint8Array {
  const module = parse(wat`(module
    (memory (export "memory") ${pages})
    (export "${exported}" (func $${exported}))
    ${functions})`);
  // Vectors and bulk memory are the only features beyond WebAssembly 1.0 that all supported platforms have.
  module.setFeatures(BulkMemory | BulkMemoryOpt | SIMD128);
  if (module.validate() !== 1) throw new Error(`the WebAssembly module that exports ${exported} is not valid`);
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

function parse(text: string): binaryen.Module {
  try {
    return binaryen.parseText(text);
  } catch (error) {
    // Binaryen states the line and the column.
    const { message } = error as Error;
    const line = text.split('\n')[Number.parseInt(message, 10) - 1];
    throw new Error(`${message}: ${line?.trim()}`, { cause: error });
  }
}
