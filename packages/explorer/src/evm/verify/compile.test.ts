import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMPILE_PROGRAM } from '../testing.ts';
import { CompilationEnded, compile } from './compile.ts';
import { compilerVersionText } from './compiler-version.ts';
import { Compilers } from './compilers.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-solc-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const { signal } = new AbortController();

/** A compiler that follows a script. */
function compilerThat(does: string): string {
  const path = join(directory, 'soljson-v0.8.1+commit.00000000.js');
  writeFileSync(path, does);
  return path;
}

test.each([
  ['never ends', 'for (;;);', { maxMs: 2_000, maxBytes: 2 ** 40 }, /ended: it may take 2 s/],
  [
    'takes ever more memory',
    'const all = []; for (;;) all.push(Buffer.alloc(1_048_576, 1));',
    { maxMs: 60_000, maxBytes: 256 * 1_048_576 },
    /ended: it may take 60 s and 256 MiB/,
  ],
  ['crashes', 'throw new Error("broken")', { maxMs: 60_000 }, /the compiler crashed/],
])(
  'a compiler that %s is ended, and the request fails',
  async (_, does, limits, message) => {
    const wanted = compile(
      { compiler: compilerThat(does), input: '{}' },
      { ...limits, program: COMPILE_PROGRAM },
      signal,
    );
    await expect(wanted).rejects.toThrow(message);
    await expect(wanted).rejects.toThrow(CompilationEnded);
  },
  60_000,
);

test('a compiler has nothing of our environment', async () => {
  process.env.SWITCHYARD_TEST_SECRET = 'hunter2';
  // It crashes as intended, and runs out of time if the secret is there.
  const shows = 'if (process.env.SWITCHYARD_TEST_SECRET !== undefined) for (;;); throw new Error()';
  const limits = { program: COMPILE_PROGRAM, maxMs: 10_000 };
  try {
    const wanted = compile({ compiler: compilerThat(shows), input: '{}' }, limits, signal);
    await expect(wanted).rejects.toThrow(/crashed/);
  } finally {
    delete process.env.SWITCHYARD_TEST_SECRET;
  }
}, 60_000);

test('a compilation ends with the process that asked for it', async () => {
  const stop = new AbortController();
  const limits = { program: COMPILE_PROGRAM, maxMs: 60_000 };
  const wanted = compile({ compiler: compilerThat('for (;;);'), input: '{}' }, limits, stop.signal);
  stop.abort(new Error('the explorer stops'));
  await expect(wanted).rejects.toThrow('the explorer stops');
}, 60_000);

test('compilers are the installed one, files of a directory, and packages that npm put there', () => {
  compilerThat('');
  writeFileSync(join(directory, 'soljson-latest.js'), '');
  const [installed] = new Compilers(undefined, silentLogger).list();
  expect(installed?.number).toMatch(/^0\.8\.\d+$/);
  const compilers = new Compilers(directory, silentLogger);
  expect(compilers.list().map(compilerVersionText)).toEqual([installed?.number, '0.8.1+commit.00000000']);
  expect(compilers.find({ number: '0.8.1', commit: undefined })).toMatchObject({ commit: '00000000' });
  expect(compilers.find({ number: '0.8.1', commit: '11111111' })).toBeUndefined();
  expect(compilers.find({ number: installed?.number ?? '', commit: '11111111' })).toEqual(installed);
});

test('a directory that cannot be read is logged, and the installed compiler is there', () => {
  const { log, lines } = memoryLogger();
  expect(new Compilers(join(directory, 'nowhere'), log).list()).toHaveLength(1);
  expect(lines).toMatchObject([{ msg: 'the directory of compilers cannot be read' }]);
});
