/* Starts WebAssembly modules of `gen/`, which scripts/wasm writes. */

/** The part of the platform's interface that is used here: its declarations come with those of browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Compiles once a module that is started several times. @returns exports of an instance, which has a memory of its own. */
export function compileWasm(base64: string): () => unknown {
  const module = new WebAssembly.Module(Buffer.from(base64, 'base64'));
  return () => new WebAssembly.Instance(module).exports;
}
