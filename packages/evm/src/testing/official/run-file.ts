import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { errorLine } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import { isBlockchainTest, runBlockchainTest } from './blockchain-test.ts';
import { isStateTest, runStateTest } from './state-test.ts';
import type { Choice, Verdict } from './verdict.ts';

/** Every test of a file, in JSON, plain or gzipped. Other members are passed over; an unreadable file has failed. */
export async function runFile(path: string, { fork, only }: Choice): Promise<Verdict[]> {
  const failed = (name: string, error: unknown): Verdict => {
    return { name, fork: fork ?? '?', result: 'failed', detail: errorLine(error).slice(0, 300) };
  };
  let file: Input;
  try {
    const bytes = readFileSync(path);
    file = new Input(JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()), '');
  } catch (error) {
    return [failed(basename(path), error)];
  }
  if (!file.isObject) return [];
  const verdicts: Verdict[] = [];
  for (const [name, test] of file.members()) {
    if (only !== undefined && !name.includes(only) && !path.includes(only)) continue;
    const run = isStateTest(test) ? runStateTest : isBlockchainTest(test) ? runBlockchainTest : undefined;
    if (run === undefined) continue;
    try {
      for (const verdict of await run(name, test, fork)) verdicts.push(verdict);
    } catch (error) {
      verdicts.push(failed(name, error));
    }
  }
  return verdicts;
}
