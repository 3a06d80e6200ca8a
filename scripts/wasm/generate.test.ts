import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORKS } from '../../packages/evm/src/interpreter/fork.ts';
import { tableOf } from '../../packages/evm/src/interpreter/table.ts';
import { PARTS } from '../../packages/evm/src/interpreter/words.ts';
import { WASM_FILES } from './generate.ts';
import { boundsIn } from './interpreter/costs.ts';

const packages = join(import.meta.dirname, '../../packages');

test.each(Object.entries(WASM_FILES))('%s has the modules that are written here', (path, text) => {
  // Not `toBe` on the texts: a difference of base64 is nothing to print.
  expect(readFileSync(join(packages, path), 'utf8') === text, 'differs, run npm run gen').toBe(true);
});

test.each(FORKS)('the module of %s asks for the gas and the stack that the interpreter asks for', (fork) => {
  const { fast, gas, least, most } = tableOf(fork);
  const inTable = Array.from(fast.keys()).flatMap((opcode) =>
    fast[opcode] === 1
      ? [
          [
            opcode,
            { gas: gas[opcode], least: (least[opcode] ?? 0) / PARTS, most: (most[opcode] ?? 0) / PARTS },
          ] as const,
        ]
      : [],
  );
  expect(new Map(inTable)).toEqual(boundsIn(fork));
});
