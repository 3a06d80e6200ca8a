import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { errorLine } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import { isBlockchainTest, runBlockchainTest } from './blockchain-test.ts';
import { isStateTest, runStateTest } from './state-test.ts';
import type { Choice, Verdict } from './verdict.ts';

/** Every test of a file, in JSON or in JSON that is compressed with gzip. What is no test is passed over. */
export async function runFile(path: string, { fork, only }: Choice): Promise<Verdict[]> {
  const bytes = readFileSync(path);
  const file = new Input(JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()), '');
  if (!file.isObject) return [];
  const verdicts: Verdict[] = [];
  for (const [name, test] of file.members()) {
    if (only !== undefined && !name.includes(only) && !path.includes(only)) continue;
    const run = isStateTest(test) ? runStateTest : isBlockchainTest(test) ? runBlockchainTest : undefined;
    if (run === undefined) continue;
    try {
      for (const verdict of await run(name, test, fork)) verdicts.push(verdict);
    } catch (error) {
      verdicts.push({ name, fork: fork ?? '?', result: 'failed', detail: errorLine(error).slice(0, 300) });
    }
  }
  return verdicts;
}
