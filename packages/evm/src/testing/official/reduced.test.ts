import { fileURLToPath } from 'node:url';
import { FORKS, type Fork } from '@switchyard/evm-machine/fork';
import { expect, test } from 'vitest';
import { TESTED_FORKS } from './engine.ts';
import { runFile } from './run-file.ts';

const getFile = (fork: Fork) =>
  fileURLToPath(new URL(`../../../testdata/state-tests/${fork}.json.gz`, import.meta.url));

/** Cases in each file; fewer would mean that a part was not read. */
const CASES = 1_600;

test.for(FORKS.slice(FORKS.indexOf('cancun')))(
  'gives what go-ethereum gives, by the rules of %s',
  { timeout: 240_000 },
  async (fork, { skip }) => {
    if (!TESTED_FORKS.includes(fork)) skip(`${fork} is not executed here`);
    const verdicts = await runFile(getFile(fork), { fork: undefined, only: undefined });
    expect(verdicts.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(verdicts.filter(({ result }) => result === 'passed').length).toBeGreaterThan(CASES);
  },
);
