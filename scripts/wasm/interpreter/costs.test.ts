import { expect, test } from 'vitest';
import { FORKS } from '../../../packages/evm-machine/src/fork.ts';
import { getTable } from '../../../packages/evm-machine/src/interpreter/table.ts';
import { PARTS } from '../../../packages/evm-machine/src/interpreter/words.ts';
import { boundsIn } from './costs.ts';

test.each(FORKS)('the module of %s asks for the gas and the stack that the interpreter asks for', (fork) => {
  const { fast, gas, least, most } = getTable(fork);
  const opcodes = Array.from(fast.keys()).filter((opcode) => fast[opcode] === 1);
  const makeBounds = (opcode: number) => ({
    gas: gas[opcode],
    least: (least[opcode] ?? 0) / PARTS,
    most: (most[opcode] ?? 0) / PARTS,
  });
  expect(new Map(opcodes.map((opcode) => [opcode, makeBounds(opcode)]))).toEqual(boundsIn(fork));
});
