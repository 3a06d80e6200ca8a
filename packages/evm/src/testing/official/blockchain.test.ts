import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFile } from './run-file.ts';

/** Blockchain tests of execution-spec-tests, in folders by EIP. */
const directory = process.env.SWITCHYARD_EVM_FIXTURES;
const ALL = { fork: undefined, only: undefined };
const EIPS = ['eip7002_el_triggerable_withdrawals', 'eip7251_consolidations'];

// Defect: Import accepted blocks of Prague with absent or failing contracts of EIP-7002 and EIP-7251
test.for(EIPS)(
  'an import takes and refuses what the public tests of %s say',
  { timeout: 240_000 },
  async (eip, { skip }) => {
    if (directory === undefined)
      return skip('SWITCHYARD_EVM_FIXTURES names no directory with tests of execution-spec-tests');
    const files = readdirSync(join(directory, eip)).map((name) => join(directory, eip, name));
    const verdicts = [];
    for (const file of files) verdicts.push(...(await runFile(file, ALL)));
    expect(verdicts.filter(({ result }) => result !== 'passed')).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(40);
  },
);

// Defect: Run of the public tests ended by one unreadable file
test('a file that cannot be read has failed, and nothing else ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evm-tests-'));
  const files = { 'half.json': '{"a":', 'packed.json.gz': 'not packed', 'none.json': '[]' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const results = await Promise.all(
    [...Object.keys(files), 'absent.json'].map((name) => runFile(join(folder, name), ALL)),
  );
  expect(results.map((verdicts) => verdicts.map(({ name, result }) => `${name} ${result}`))).toEqual([
    ['half.json failed'],
    ['packed.json.gz failed'],
    [],
    ['absent.json failed'],
  ]);
});
