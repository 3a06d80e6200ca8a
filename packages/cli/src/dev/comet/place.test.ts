import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validatorKeyFile } from '@switchyard/network/genesis';
import { expect, test } from 'vitest';
import { switchyard } from '../../switchyard.ts';
import { runWith } from '../../testing.ts';
import { FIRST_SIGN_STATE } from './config-file.ts';
import { nodeKeyFile } from './node-key.ts';
import { placeNode, waitForNames } from './place.ts';

const CONFIG = '[p2p]\npersistent_peers = "aa@main-1.main-nodes.on.svc:26656,bb@main-2.main-nodes.on.svc:26656"\n';

function scratch() {
  const work = mkdtempSync(join(tmpdir(), 'switchyard-place-'));
  const [files, keys, home] = [join(work, 'files'), join(work, 'keys'), join(work, 'home', 'cometbft')];
  for (const directory of [files, keys]) mkdirSync(directory);
  const write = (directory: string, name: string, text: string) => writeFileSync(join(directory, name), text);
  write(files, 'genesis.json', '{"chain_id":"one"}');
  write(files, 'main-0.config.toml', CONFIG);
  write(keys, 'main-0.node_key.json', nodeKeyFile());
  write(keys, 'main-0.priv_validator_key.json', validatorKeyFile());
  write(keys, 'main-1.priv_validator_key.json', validatorKeyFile());
  return { files, keys, home, write, place: (node = 'main-0') => placeNode({ node, files, keys, home }) };
}

test('a node gets its own files, its keys closed to others, and keeps what it has signed', () => {
  const { home, keys, files, write, place } = scratch();
  expect(place()).toEqual(['main-1.main-nodes.on.svc', 'main-2.main-nodes.on.svc']);
  const key = join(home, 'config', 'priv_validator_key.json');
  expect(readFileSync(key, 'utf8')).toBe(readFileSync(join(keys, 'main-0.priv_validator_key.json'), 'utf8'));
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const signed = join(home, 'data', 'priv_validator_state.json');
  expect(readFileSync(signed, 'utf8')).toBe(FIRST_SIGN_STATE);
  writeFileSync(signed, '{"height":"7"}');
  write(files, 'main-0.config.toml', `${CONFIG}# changed\n`);
  place();
  expect(readFileSync(signed, 'utf8')).toBe('{"height":"7"}');
  expect(readFileSync(join(home, 'config', 'config.toml'), 'utf8')).toContain('# changed');
});

test('a volume of another chain or another validator is refused, and stays as it is', () => {
  const { home, keys, files, write, place } = scratch();
  place();
  write(files, 'genesis.json', '{"chain_id":"two"}');
  expect(() => place()).toThrow(/genesis\.json: expected chain_id two, got one/);
  write(files, 'genesis.json', '{"chain_id":"one"}');
  const other = readFileSync(join(keys, 'main-1.priv_validator_key.json'), 'utf8');
  const before = readFileSync(join(home, 'config', 'priv_validator_key.json'), 'utf8');
  write(keys, 'main-0.priv_validator_key.json', other);
  expect(() => place()).toThrow(/priv_validator_key\.json: expected address .*this volume is of another node/);
  expect(readFileSync(join(home, 'config', 'priv_validator_key.json'), 'utf8')).toBe(before);
});

test('blocks without a record of what was signed are refused: a height could be signed twice', () => {
  const { home, place } = scratch();
  place();
  writeFileSync(join(home, 'data', 'blockstore.db'), '');
  rmSync(join(home, 'data', 'priv_validator_state.json'));
  expect(() => place()).toThrow(/priv_validator_state\.json: not there, but blocks are/);
});

test('names that cannot be resolved are reported when the time is over', async () => {
  expect(await waitForNames(['localhost', 'absent.invalid'], 0)).toEqual(['absent.invalid']);
});

test('the command names what is missing', async () => {
  const { files, keys, home } = scratch();
  const words = `network place --node main-9 --files ${files} --keys ${keys} --home ${home} --wait 0`.split(' ');
  const ran = await runWith((cli, connect) => switchyard(cli, words, connect), words);
  expect(ran).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/main-9\.config\.toml: cannot be read: ENOENT/),
  });
});
