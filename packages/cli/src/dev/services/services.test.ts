import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readInstance } from '../instance/instance.ts';
import { BUILT, scratchInstance } from '../testing.ts';
import { PROGRAM_NOTE } from './program.ts';
import { planServices } from './services.ts';

const ENV = { PATH: '/bin', HOME: '/home/me' };

/** An instance with more text in its network file and its base settings. */
function instanceWith(services: string, base = '') {
  const paths = scratchInstance();
  appendFileSync(paths.networks, services);
  appendFileSync(paths.base, base);
  const at = (label: string) => `${paths.networks}: networks.local.services.${label}`;
  return { paths, at, plan: () => planServices(readInstance(paths, 'local', ENV), ENV, BUILT) };
}

test.each(['messenger', 'evm', 'messenger,evm', 'empty'])(
  'every service of ours prints lines for people in a new instance of %s',
  (template) => {
    const paths = scratchInstance({ template });
    const settings = planServices(readInstance(paths, 'local', ENV), ENV, BUILT).map(({ name, builtin, env }) => {
      const prefix = builtin === 'messenger' ? '' : `SVC_${builtin?.toUpperCase()}_`;
      return [name, env[`${prefix}PRETTY_PRINT`]];
    });
    expect(settings).toEqual(settings.map(([name]) => [name, 'true']));
  },
);

const program = (label: string, more = '') => `\n[networks.local.services.${label}]\nlocal_path = "/bin/sh"\n${more}\n`;
const SHA = 'a'.repeat(64);

test('services start after those they depend on, whatever the order in the file', () => {
  const { plan } = instanceWith(
    program('indexer', 'depends_on = ["db", "rollup"]') + program('db', 'depends_on = []') + program('plain'),
  );
  expect(plan().map(({ name, after }) => [name, after])).toEqual([
    ['sequencer', []],
    ['composer', []],
    ['rollup', []],
    ['conductor', []],
    ['withdrawer', []],
    ['messenger-faucet', []],
    ['explorer', []],
    ['db', []],
    ['indexer', ['db', 'rollup']],
    ['plain', ['sequencer', 'composer']],
  ]);
});

test('generic services start before ours where the network sets it, unless they name what they need', () => {
  const { plan, paths } = instanceWith(program('plain') + program('late', 'depends_on = ["composer"]'));
  const text = readFileSync(paths.networks, 'utf8');
  const withPosition = (value: string) =>
    writeFileSync(
      paths.networks,
      text.replace('[networks.local]\n', `[networks.local]\ngeneric_start_position = "${value}"\n`),
    );
  const first = () => plan().map(({ name }) => name)[0];
  withPosition('before');
  expect(plan().map(({ name, after }) => [name, after])).toEqual([
    ['plain', []],
    ['sequencer', []],
    ['composer', []],
    ['late', ['composer']],
    ['rollup', []],
    ['conductor', []],
    ['withdrawer', []],
    ['messenger-faucet', []],
    ['explorer', []],
  ]);
  // The key of the terminal UI's settings places panes.
  writeFileSync(join(paths.home, 'tui-config.toml'), 'generic_start_position = "before"');
  withPosition('after');
  expect(first()).toBe('sequencer');
  withPosition('first');
  expect(plan).toThrow('networks.local.generic_start_position: expected "before" or "after", got "first"');
});

test('what ours need to work is known, though they start at once', () => {
  const { plan } = instanceWith('');
  expect(plan().map(({ name, needs }) => [name, needs])).toEqual([
    ['sequencer', []],
    ['composer', ['sequencer']],
    ['rollup', ['composer']],
    ['conductor', ['sequencer', 'rollup']],
    ['withdrawer', ['sequencer', 'rollup']],
    ['messenger-faucet', ['rollup']],
    ['explorer', ['sequencer']],
  ]);
});

test.each(['false', '0', 'FALSE'])('the explorer is left out where its setting is %s', (value) => {
  const { plan, paths } = instanceWith('');
  const text = readFileSync(paths.base, 'utf8');
  writeFileSync(paths.base, text.replace('svc_explorer_enabled = "true"', `svc_explorer_enabled = "${value}"`));
  expect(plan().map(({ name }) => name)).toEqual([
    ...['sequencer', 'composer', 'rollup', 'conductor', 'withdrawer', 'messenger-faucet'],
  ]);
});

test('a circle of dependencies, and one on no service, are refused', () => {
  const circle = instanceWith(program('a', 'depends_on = ["b"]') + program('b', 'depends_on = ["a"]'));
  expect(circle.plan).toThrow('these wait for each other by depends_on, so none could start: a, b');
  const unknown = instanceWith(program('a', 'depends_on = ["rolup"]'));
  expect(unknown.plan).toThrow(
    `${unknown.at('a')}.depends_on: no service rolup, there is sequencer, composer, conductor, rollup, withdrawer, messenger-faucet, explorer, a; did you mean "rollup"?`,
  );
});

test.each([
  ['http://127.0.0.1:4040/up', { kind: 'http', url: 'http://127.0.0.1:4040/up', port: 4040 }, [4040]],
  ['tcp://[::1]:4040', { kind: 'tcp', host: '::1', port: 4040 }, [4040]],
  ['log:^up$', { kind: 'log', pattern: '^up$' }, []],
])('%s sets when a program is ready, and what it listens on', (ready, expected, ports) => {
  const { plan } = instanceWith(program('mine', `ready = "${ready}"`));
  expect(plan().at(-1)).toMatchObject({ ready: expected });
  expect(
    plan()
      .at(-1)
      ?.ports.map(({ port }) => port),
  ).toEqual(ports);
});

test.each(['4040', 'tcp://localhost', 'https://x:1/', 'log:('])('%j does not set when a program is ready', (ready) => {
  const { plan, at } = instanceWith(program('mine', `ready = "${ready}"`));
  expect(plan).toThrow(`${at('mine')}.ready: `);
});

test('a mistyped key of a service is answered with the real one', () => {
  const { plan, paths } = instanceWith(program('mine', 'depend_on = []\ncolour = "red"'));
  const last = readFileSync(paths.networks, 'utf8').trimEnd().split('\n').length;
  expect(plan).toThrow(
    `networks.local.services.mine.depend_on: no such key; did you mean "depends_on"?\n${paths.networks}:${last}: networks.local.services.mine.colour: no such key; it has name, version, `,
  );
});

test('a second messenger without its own ports and its own place for its state is refused', () => {
  const bare = instanceWith('\n[networks.local.services.parlour]\nlocal_path = "builtin:messenger"\n');
  const table = '[networks.local.services.parlour.env]';
  expect(bare.plan).toThrow(
    [
      `port 3030: given to rollup (rest_addr in ${bare.paths.base}) and to parlour (rest_addr in ${bare.paths.base}): give parlour its own REST_ADDR in ${table}`,
      `port 50051: given to rollup (execution_grpc_addr in ${bare.paths.base}) and to parlour (execution_grpc_addr in ${bare.paths.base}): give parlour its own EXECUTION_GRPC_ADDR in ${table}`,
      `port 9003: given to rollup (metrics_http_listener_addr in ${bare.paths.base}) and to parlour (metrics_http_listener_addr in ${bare.paths.base}): give parlour its own METRICS_HTTP_LISTENER_ADDR in ${table}`,
      `state in ${bare.paths.data}/rollup: given to rollup and to parlour: give parlour its own DB_FILEPATH in ${table}`,
    ].join('\n'),
  );
  const apart = instanceWith(
    `\n[networks.local.services.parlour]\nlocal_path = "builtin:messenger"\n${table}\nrest_addr = "127.0.0.1:4030"\nastria_composer_log = "debug"\nexecution_grpc_addr = "127.0.0.1:4031"\nmetrics_http_listener_addr = "127.0.0.1:4032"\ndb_filepath = "$SWITCHYARD_INSTANCE/data/parlour"\n`,
  );
  expect(
    apart
      .plan()
      .flatMap(({ name, builtin, env }) =>
        builtin === 'messenger' ? [[name, env.DB_FILEPATH, env.SVC_COMPOSER_LOG]] : [],
      ),
  ).toEqual([
    ['rollup', join(apart.paths.data, 'rollup'), 'info'],
    ['parlour', join(apart.paths.data, 'parlour'), 'debug'],
  ]);
});

test('node_options replace the flags of our services and do not reach the programs of the user', () => {
  const { plan } = instanceWith(
    `${program('mine')}${program('other', 'env = { NODE_OPTIONS = "--trace-warnings" }')}`,
    'node_options = "--max-old-space-size=512"\n',
  );
  const services = plan();
  expect(services[0]?.args).toEqual(['--max-old-space-size=512', BUILT.sequencer]);
  expect(services.slice(-3).map(({ env }) => env.NODE_OPTIONS)).toEqual([undefined, undefined, '--trace-warnings']);
});

test('a download has a name, a version and a hash in its place, and keeps the program found in it', () => {
  const { plan, paths } = instanceWith(
    `\n[networks.local.services.evm]\nname = "my geth"\nversion = "v1.2"\ndownload_url = "https://x.test/geth.tar.gz"\nsha256 = "${SHA.toUpperCase()}"\nlocal_path = "build/geth"\n`,
  );
  const directory = join(paths.directory, 'bin', `my_geth-v1.2-${'a'.repeat(12)}`);
  expect(plan().at(-1)).toMatchObject({ command: join(directory, 'build/geth'), download: { directory, sha256: SHA } });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, PROGRAM_NOTE), 'other/geth');
  expect(plan().at(-1)).toMatchObject({ command: join(directory, 'other/geth') });
});

test.each([
  ['download_url = "ftp://x/y"', 'download_url: expected an http:// or https:// URL, got ftp://x/y'],
  [
    'download_url = "http://x/y"',
    'download_url: expected an https:// URL, or the key sha256 next to it, got http://x/y',
  ],
  [
    'download_url = "https://x/y"\nsha256 = "ab"',
    'sha256: expected the SHA-256 of the file at download_url, 64 hexadecimal digits, got ab',
  ],
  [
    `download_url = "https://x/y"\nsha256 = "${SHA}"\nlocal_path = "../sh"`,
    'local_path: leads out of the download: ../sh',
  ],
])('refuses %s', (lines, message) => {
  const { plan, at } = instanceWith(`\n[networks.local.services.evm]\n${lines}\n`);
  expect(plan).toThrow(`${at('evm')}.${message}`);
});

test('a program that is there wins over its download', () => {
  const { plan } = instanceWith(program('evm', `download_url = "https://x/y"\nsha256 = "${SHA}"`));
  expect(plan().at(-1)).toMatchObject({ command: '/bin/sh' });
  expect(plan().at(-1)?.download).toBeUndefined();
});

test('an unknown network is answered with the nearest', () => {
  const { paths } = instanceWith('');
  expect(() => readInstance(paths, 'locla', ENV)).toThrow('no network "locla", there is local; did you mean "local"?');
  expect(readFileSync(paths.networks, 'utf8')).toContain('[networks.local]');
});
