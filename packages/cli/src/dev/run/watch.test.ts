import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchServices } from './watch.ts';

test('a burst of changes is reported once, for the service that names the directory', async () => {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-watch-'));
  for (const name of ['a', 'b/node_modules']) mkdirSync(join(home, name), { recursive: true });
  const reported: string[] = [];
  let wake = () => {};
  const services = [
    { name: 'first', watch: [join(home, 'a')] },
    { name: 'second', watch: [join(home, 'b'), join(home, 'not-built-yet')] },
    { name: 'third', watch: [] },
  ];
  const watch = await watchServices(
    services,
    (service, path) => {
      reported.push(`${service} ${path.slice(home.length)}`);
      wake();
    },
    { quietMs: 50 },
  );
  const next = () => new Promise<void>((resolve) => (wake = resolve));
  try {
    writeFileSync(join(home, 'b', 'node_modules', 'x'), '1');
    let change = next();
    for (const text of ['1', '2', '3']) writeFileSync(join(home, 'a', 'program'), text);
    await change;
    change = next();
    writeFileSync(join(home, 'not-built-yet'), '1');
    await change;
    expect(reported).toEqual(['first /a/program', 'second /not-built-yet']);
  } finally {
    await watch.close();
  }
});
