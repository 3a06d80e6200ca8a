import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alice } from '@switchyard/network/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeOffset, PORTS, root, run } from '../support/network.ts';
import { PageSession } from '../support/tutorial.ts';

/** `docs/tutorials/first-message.md`, command by command, in one shell session, on ports and in a home of its own. */
const home = mkdtempSync(join(tmpdir(), 'switchyard-tutorial-'));
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const offset = await freeOffset();
  env = {
    NO_COLOR: '1',
    SWITCHYARD_HOME: home,
    SWITCHYARD_PORT_OFFSET: String(offset),
    ROLLUP_URL: `http://127.0.0.1:${PORTS.rollup + offset}`,
    SEQUENCER_URL: `http://127.0.0.1:${PORTS.rpc + offset}`,
  };
});

afterAll(async () => {
  for (const instance of ['tutorial', 'loaded'])
    await run('npx', ['switchyard', 'dev', 'stop', '--instance', instance], env);
  rmSync(home, { recursive: true, force: true });
});

/** The binaries that npx finds, without the half second that npx itself takes for each. */
const shell = (command: string) => command.replaceAll('npx ', `${root}/node_modules/.bin/`);

test('the commands of the tutorial print what it shows', async () => {
  const session = new PageSession(join(root, 'docs', 'tutorials', 'first-message.md'), { cwd: root, env, shell });
  expect(session.steps.length).toBeGreaterThan(25);
  await session.follow();
});

/** Files that a command loads, and their bytes, from Node's record of executed code. */
async function loadedBy(program: string, args: readonly string[], variables: NodeJS.ProcessEnv) {
  const directory = mkdtempSync(join(home, 'loaded-'));
  const more = { ROLLUP_PRIVATE_KEY: alice.key, NODE_V8_COVERAGE: directory };
  const { status, stderr } = await run(shell(`npx ${program}`), args, { ...variables, ...more });
  const records = readdirSync(directory).map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')));
  const urls = records.flatMap(({ result }: { result: { url: string }[] }) => result.map(({ url }) => url));
  const files = [...new Set(urls)].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  return { status, stderr, isRun: files.some((file) => file.endsWith(`/${program}.js`)), files: files.length, bytes };
}

// A command takes most of its time to load: one import of a large package makes many of them slow, and nothing else shows it.
test('up starts a network from nothing, whose commands load few files', async () => {
  const { ROLLUP_URL: _, ...variables } = env;
  const up = ['up', '--instance', 'loaded', '--detach', '--no-open'];
  const started = await run(shell('npx switchyard'), up, variables);
  expect(started).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^made instance loaded in .*: \d+ files$/m),
  });
  expect(started.stdout).toMatch(/^ready \{.*"startPage":"http:/m);
  const again = await run(shell('npx switchyard'), up, variables);
  expect(again.stdout).toMatch(/^instance loaded runs, and its start page is http:\S+\n$/);
  const bounds: [program: string, args: readonly string[], files: number, bytes: number][] = [
    ['switchyard', ['--help'], 20, 190_000],
    ['rollup-cli', ['--version'], 20, 230_000],
    ['rollup-cli', ['__complete', '--', 'query', 'texts', '--instance', ''], 30, 300_000],
    ['rollup-cli', ['query', 'texts', '--instance', 'loaded'], 40, 400_000],
    ['rollup-cli', ['submit', 'text', 'hello', 'alice', '--instance', 'loaded'], 45, 440_000],
  ];
  for (const [program, args, files, bytes] of bounds) {
    const loaded = await loadedBy(program, args, variables);
    expect(loaded, args.join(' ')).toMatchObject({ status: 0, isRun: true });
    expect(loaded.files, args.join(' ')).toBeLessThanOrEqual(files);
    expect(loaded.bytes, args.join(' ')).toBeLessThanOrEqual(bytes);
  }
});
