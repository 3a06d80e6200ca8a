import { LARGEST_WORDS } from '../../packages/evm-machine/src/precompiles/montgomery-layout.ts';
import { blake2bModule } from './blake2b.ts';
import { boundsIn, CHANGES } from './interpreter/costs.ts';
import { interpreterModule } from './interpreter/module.ts';
import { keccakConstants, keccakModule } from './keccak.ts';
import { montgomeryModule } from './montgomery.ts';

/** Texts of the files with WebAssembly modules, in base64, by their paths in `packages`. */
export const WASM_FILES: Readonly<Record<string, string>> = {
  'protocol/src/gen/wasm/keccak.ts': file(
    'keccak.ts',
    `${constant('KECCAK', 'string', quoted(keccakModule()))}\n`,
    '/** Content of the memory at `CONSTANTS`. */',
    constant('KECCAK_CONSTANTS', 'string', quoted(keccakConstants())),
  ),
  'evm-machine/src/gen/wasm/blake2b.ts': file('blake2b.ts', constant('BLAKE2B', 'string', quoted(blake2bModule()))),
  'evm-machine/src/gen/wasm/montgomery.ts': file(
    'montgomery.ts',
    '/** The first for numbers of one word, and so on. */',
    constant(
      'MONTGOMERY',
      'readonly string[]',
      list(Array.from({ length: LARGEST_WORDS }, (_, index) => quoted(montgomeryModule(index + 1)))),
    ),
  ),
  'evm-machine/src/gen/wasm/interpreter.ts': file(
    'interpreter/module.ts',
    "import type { Fork } from '../../fork.ts';\n",
    'interface Interpreter {',
    '  /** The first fork that it is for. */',
    '  readonly since: Fork;',
    '  /** Instructions that it runs. */',
    '  readonly opcodes: readonly number[];',
    '  readonly module: string;',
    '}\n',
    '/** Oldest first. */',
    `${constant('INTERPRETERS', 'readonly Interpreter[]', list(interpreters()))}\n`,
    '/** Content of the memory at its beginning. */',
    constant('KECCAK_CONSTANTS', 'string', quoted(keccakConstants())),
  ),
};

function interpreters(): string[] {
  return CHANGES.map((fork) => {
    const opcodes = [...boundsIn(fork).keys()].join(', ');
    return `{ since: '${fork}', opcodes: [${opcodes}], module: ${quoted(interpreterModule(fork))} }`;
  });
}

function file(source: string, ...lines: readonly string[]): string {
  return `${[`// Made by npm run gen from scripts/wasm/${source}.\n`, ...lines].join('\n')}\n`;
}

// The type keeps the bytes out of the declarations.
function constant(name: string, type: string, value: string): string {
  return `export const ${name}: ${type} = ${value};`;
}

function quoted(bytes: Uint8Array): string {
  return `'${Buffer.from(bytes).toString('base64')}'`;
}

function list(items: readonly string[]): string {
  return `[\n${items.map((item) => `  ${item},\n`).join('')}]`;
}
