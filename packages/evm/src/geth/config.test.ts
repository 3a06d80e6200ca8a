import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidConfig, loadConfig } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { claimDatabase } from '../database/owner.ts';
import { openLinks } from './config.ts';
import { stockFields } from './fields.ts';

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

function secretFile(text: string, mode = 0o600): string {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-jwt-'));
  homes.push(home);
  const file = join(home, 'jwt.hex');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const open = (env: Readonly<Record<string, string>>) => openLinks(loadConfig(stockFields, env));
const http = (file: string) => ({
  SVC_EVM_STOCK_RPC_URL: 'http://127.0.0.1:8545',
  SVC_EVM_STOCK_ENGINE_URL: 'http://127.0.0.1:8551',
  SVC_EVM_STOCK_JWT_FILE: file,
});

test('the socket alone is enough, and HTTP needs both endpoints and the secret', async () => {
  const links = await open({ SVC_EVM_STOCK_IPC_PATH: '/data/geth.ipc' });
  expect([links.link.target, links.queries.target]).toEqual(['/data/geth.ipc', '/data/geth.ipc']);
  links.close();
  expect((await open(http(secretFile(`0x${'ab'.repeat(32)}\n`)))).link.target).toBe('http://127.0.0.1:8545');
  await expect(open({})).rejects.toThrow(
    /SVC_EVM_STOCK_IPC_PATH: expected geth's unix socket, or all of .*, got nothing/,
  );
  const { SVC_EVM_STOCK_JWT_FILE: _, ...without } = http('');
  await expect(open(without)).rejects.toThrow(InvalidConfig);
});

test.each([
  ['is not there', () => '/nowhere/jwt.hex', /ENOENT/],
  ['others can read', () => secretFile('ab'.repeat(32), 0o644), /it has mode 0644/],
  ['holds something else', () => secretFile('secret words'), /got something else/],
])('a secret that %s is refused without showing it', async (_, file, line) => {
  const error = await open(http(file())).catch((caught: unknown) => caught);
  expect(String(error)).toMatch(line);
  expect(String(error)).not.toContain('secret words');
});

test('a database belongs to the back end that began it', () => {
  const database = openMemoryDatabase();
  claimDatabase(database, 'stock');
  claimDatabase(database, 'stock');
  expect(() => claimDatabase(database, 'embedded')).toThrow(/SVC_EVM_BACKEND: expected stock, .* got embedded/);
});
