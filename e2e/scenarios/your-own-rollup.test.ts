import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freeOffset, PORTS, type Ran, root, run } from '../support/network.ts';
import { testNewProjects } from '../support/new-projects.suite.ts';
import { type Registry, startRegistry } from '../support/registry.ts';
import { PageSession } from '../support/tutorial.ts';
import { typeProblems } from '../support/types-of-package.ts';

/**
 * `docs/tutorials/your-own-rollup.md` as a reader follows it: `examples/counter` outside the repository, with our packages from a
 * registry, in a home of its own. The repository is not used after the packages are made.
 */
const place = mkdtempSync(join(tmpdir(), 'switchyard-own-'));
const project = join(place, 'counter');
const tarballs = join(place, 'tarballs');
const tool = (name: string) => join(root, 'e2e', 'tools', 'node_modules', '.bin', name);
/** Packing and installing wait for npm, which takes several times as long on a busy machine. */
const PATIENCE_MS = 300_000;
vi.setConfig({ testTimeout: PATIENCE_MS });
let registry: Registry;
let env: NodeJS.ProcessEnv;

interface Packed {
  readonly name: string;
  readonly file: string;
}
let libraries: readonly Packed[];

/** Packed libraries, without the programs, which nothing imports. */
async function librariesIn(directory: string): Promise<readonly Packed[]> {
  const files = readdirSync(directory).map((file) => join(directory, file));
  const packed = files.map(async (file) => {
    const { stdout } = await run('tar', ['-xzOf', file, 'package/package.json']);
    // Our own script wrote it.
    return { name: (JSON.parse(stdout) as Packed).name, file };
  });
  return (await Promise.all(packed)).filter(({ name }) => name.startsWith('@switchyard/'));
}

const inProject = (command: string, ...args: string[]): Promise<Ran> => run(command, args, env, project);

beforeAll(async () => {
  registry = await startRegistry();
  await registry.publish(tarballs);
  libraries = await librariesIn(tarballs);

  const offset = await freeOffset();
  mkdirSync(join(place, 'home'));
  env = {
    ...registry.env,
    NO_COLOR: '1',
    HOME: join(place, 'home'),
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
    SWITCHYARD_PORT_OFFSET: String(offset),
    ROLLUP_URL: `http://127.0.0.1:${PORTS.rollup + offset}`,
    EXPLORER_URL: `http://127.0.0.1:${PORTS.explorer + offset}`,
  };
  const made = /\/(node_modules|dist|package-lock\.json)$/;
  cpSync(join(root, 'examples', 'counter'), project, { recursive: true, filter: (path) => !made.test(path) });
  const service = readFileSync(join(project, 'service.toml'), 'utf8');
  writeFileSync(join(project, 'service.toml'), service.replace(':3030', `:${PORTS.rollup + offset}`));
}, PATIENCE_MS);

afterAll(async () => {
  if (existsSync(join(project, 'node_modules')))
    await inProject('npx', 'switchyard', 'dev', 'stop', '--instance', 'counter');
  await registry?.close();
  rmSync(place, { recursive: true, force: true });
});

/** Programs that check a package use one processor. */
const AT_A_TIME = 2;

test('every library is packed as publint and attw expect it', async () => {
  expect(libraries.length).toBeGreaterThan(5);
  const waiting = [...libraries];
  const check = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) await expectWellPacked(each);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, check));
});

async function expectWellPacked({ file, name }: Packed): Promise<void> {
  const lint = await run(tool('publint'), ['run', file, '--strict']);
  expect(lint, `${name}: ${lint.stdout}`).toMatchObject({ status: 0 });
  expect(await typeProblems(file), name).toEqual([]);
  const { stdout } = await run('tar', ['-xzOf', file, 'package/package.json']);
  expect(stdout).not.toMatch(/switchyard-source|"private"|\.\/src\//);
  const { dependencies, sideEffects } = JSON.parse(stdout) as {
    dependencies: Record<string, string>;
    sideEffects: unknown;
  };
  const own = readFileSync(join(root, name.replace('@switchyard', 'packages'), 'package.json'), 'utf8');
  expect(sideEffects).toEqual((JSON.parse(own) as { sideEffects: unknown }).sideEffects);
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const paths = (await run('tar', ['-tzf', file])).stdout.trimEnd().split('\n');
  expect(paths.filter((path) => /\.test\./.test(path))).toEqual([]);
  // Maps lead to existing sources; pages of the packages are built files.
  const compiled = paths.filter((path) => path.startsWith('package/dist/') && path.endsWith('.js'));
  expect(compiled.filter((path) => !paths.includes(`${path}.map`))).toEqual([]);
  const sources = compiled.map((path) => path.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
  expect(sources.filter((path) => !paths.includes(path))).toEqual([]);
}

test('what is published is not published again', async () => {
  expect(await registry.publish()).toMatch(/^(\S+: is published\n){21}$/);
});

test('the page can be followed with the packages of a registry, to a running network', async (context) => {
  const session = new PageSession(join(root, 'docs', 'tutorials', 'your-own-rollup.md'), { cwd: project, env });
  expect(session.steps.length).toBeGreaterThan(8);
  const installed = await inProject(
    'npm',
    'install',
    '--save-dev',
    'switchyard',
    '--prefer-offline',
    '--ignore-scripts',
  );
  if (installed.status !== 0 && /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|E50\d/.test(installed.stderr)) {
    context.skip('the package registry is not reachable: the page was not followed');
  }
  await session.follow();
});

/** Whether an entry of a package of ours exports anything besides types, by its built file. */
function hasValues(name: string, entry: string): boolean {
  const directory = join(root, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, { readonly default: string }>>;
  };
  return /^export (?!\{\};)/m.test(readFileSync(join(directory, exports[entry]?.default ?? ''), 'utf8'));
}

/** It imports a test tool, which is an optional peer. */
const NEEDS_TEST_TOOL = ['@switchyard/rollup/executor-suite'];

test('every entry of every library can be imported and type-checked outside the repository', async (context) => {
  if (!existsSync(join(project, 'node_modules', '@switchyard'))) context.skip('nothing was installed');
  const entries = libraries.flatMap(({ name }) => {
    const manifest = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
    const { exports } = JSON.parse(manifest) as { exports: Record<string, unknown> };
    return Object.keys(exports).map((entry) => `${name}${entry.slice(1)}`);
  });
  expect(entries.length).toBeGreaterThan(libraries.length);
  const usable = entries.filter((entry) => !NEEDS_TEST_TOOL.includes(entry));
  const text = usable.map((entry, index) => `export * as entry${index} from '${entry}';\n`).join('');
  writeFileSync(join(project, 'src', 'all.ts'), text);
  // Declarations of ours have to hold without skipLibCheck; those of other libraries are not ours to fix.
  const checked = await inProject('npx', 'tsc', '--skipLibCheck', 'false');
  expect(checked.stdout.split('\n').filter((line) => /@switchyard|^src\//.test(line))).toEqual([]);
  // Entries of types alone are empty when they are loaded.
  const valued = usable.filter((entry) => {
    const [, name = '', ...path] = entry.split('/');
    return hasValues(name, ['.', ...path].join('/'));
  });
  const counted = `const all = await import('./dist/all.js'); console.log(Object.values(all).filter((each) => Object.keys(each).length > 0).length)`;
  const ran = await inProject('node', '--input-type=module', '--eval', counted);
  expect(ran, ran.stderr).toMatchObject({ status: 0, stdout: `${valued.length}\n` });
});

test('the page about tests on a network has a file that passes in a project of its own', async (context) => {
  if (!existsSync(join(project, 'node_modules', '@switchyard'))) context.skip('nothing was installed');
  const page = readFileSync(join(root, 'docs', 'how-to', 'test-on-a-network.md'), 'utf8');
  const [, command = ''] = /```sh\n(.*)\n```/.exec(page) ?? [];
  const [, file = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const own = join(place, 'tests');
  mkdirSync(own);
  writeFileSync(
    join(own, 'package.json'),
    JSON.stringify({ name: 'tests', private: true, type: 'module', dependencies: { '@switchyard/network': '0.1.0' } }),
  );
  writeFileSync(join(own, 'network.test.ts'), file);
  const [program = '', ...args] = command.split(' ');
  const installed = await run(program, [...args, '--prefer-offline', '--ignore-scripts'], env, own);
  expect(installed, installed.stderr).toMatchObject({ status: 0 });
  const tested = await run('npx', ['vitest', 'run', '--no-color'], env, own);
  expect(tested, `${tested.stdout}${tested.stderr}`).toMatchObject({ status: 0 });
  expect(tested.stdout).toMatch(/Tests +2 passed \(2\)/);
});

testNewProjects(() => registry);
