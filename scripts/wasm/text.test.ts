import { expect, test } from 'vitest';
import { wasmModule } from './text.ts';

test('a module whose types do not match is refused', () => {
  const mixed = '(func $run (param $count i32) (drop (i32.add (local.get $count) (i64.const 1))))';
  expect(() => wasmModule('run', 1, [mixed])).toThrow(
    'type mismatch in i32.add, expected [i32, i32] but got [i32, i64]',
  );
});

test('a local without a declaration is refused, with its line', () => {
  const unknown = '(func $run (param $count i32)\n(drop (local.get $other)))';
  expect(() => wasmModule('run', 1, [unknown])).toThrow('run:5:18: error: undefined local variable "$other"');
});

test('an instruction that supported platforms may not have is refused', () => {
  const newer = '(func $run (param $count i32) (return_call $run (local.get $count)))';
  expect(() => wasmModule('run', 1, [newer])).toThrow('opcode not allowed: return_call');
});
