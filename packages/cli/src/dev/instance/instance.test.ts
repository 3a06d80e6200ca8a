import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutEffect } from '../config/check/contradictions.ts';
import { toLine } from '../config/check/finding.ts';
import { planServices } from '../services/services.ts';
import { BUILT, scratchInstance, scratchPaths } from '../testing.ts';
import type { InstancePaths } from './home.ts';
import { readInstance } from './instance.ts';

const ENV = { PATH: '/bin', HOME: '/home/me', SECRET: 'mine', NO_COLOR: undefined };
const read = (paths: InstancePaths, network = 'local') => readInstance(paths, network, ENV);
/** Entry files of the builtins exist only if they were built, so tests run a program of their own. */
const own = (paths: InstancePaths) => {
  const text = readFileSync(paths.networks, 'utf8');
  writeFileSync(paths.networks, text.replaceAll('local_path = ""', 'local_path = "/bin/sh"'));
  return paths;
};
const edit = (path: string, from: string | RegExp, to: string) =>
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(from, () => to),
  );

test('an instance that was never made is reported with how to make it', () => {
  const paths = scratchPaths('chat');
  expect(() => read(paths)).toThrow(
    `no instance chat in ${paths.home}: make it with \`switchyard dev init --instance chat --home ${paths.home}\``,
  );
});

test('base settings become environment variables with their texts expanded', () => {
  const paths = scratchInstance();
  appendFileSync(paths.base, 'My_Home = "~/x"\nnumber = 7\nflag = true\nastria_composer_extra = "e"\n');
  expect(read(paths).base).toMatchObject({
    SVC_COMPOSER_PRIVATE_KEY_FILE: paths.composerKey,
    DB_FILEPATH: join(paths.data, 'rollup'),
    MY_HOME: join(homedir(), 'x'),
    NUMBER: '7',
    FLAG: 'true',
    SVC_COMPOSER_EXTRA: 'e',
  });
});

test('names every mistake in both files at once, with file and key', () => {
  const paths = scratchInstance();
  const end = readFileSync(paths.base, 'utf8').split('\n').length;
  appendFileSync(paths.base, 'list = [1]\npath = "$NOWHERE/x"\nastria_composer_grpc_addr = "127.0.0.1:1"\n');
  edit(paths.networks, 'sequencer_rpc = "http://127.0.0.1:26657"', 'sequencer_rpc = 5');
  expect(() => read(paths)).toThrow(
    [
      `${paths.base}:${end}: list: expected a text, a number or true or false, got a list`,
      `${paths.base}: path: the variable NOWHERE is not set`,
      `${paths.base}: svc_composer_grpc_addr and astria_composer_grpc_addr are two names of one setting and have different values: keep one`,
      `${paths.networks}:8: networks.local.sequencer_rpc: expected a text, got 5`,
    ].join('\n'),
  );
});

test('unknown keys of the file and of the network are refused with their lines and the nearest known keys', () => {
  const paths = scratchInstance();
  edit(paths.networks, 'native_denom', 'native_denon = "x"\nnative_denom');
  edit(paths.networks, '[networks.local]', '[netwroks.far]\nx = 1\n\n[networks.local]');
  const lines = readFileSync(paths.networks, 'utf8').split('\n');
  const formatLine = (start: string) => lines.findIndex((line) => line.startsWith(start)) + 1;
  expect(() => read(paths)).toThrow(
    [
      `${paths.networks}:${formatLine('[netwroks')}: netwroks: no such key; did you mean "networks"?`,
      `${paths.networks}:${formatLine('native_denon')}: networks.local.native_denon: no such key; did you mean "native_denom"?`,
    ].join('\n'),
  );
});

test('a key given twice has its last value', () => {
  const paths = scratchInstance();
  appendFileSync(paths.base, 'rest_addr = "127.0.0.1:1"\n');
  expect(read(paths).base.REST_ADDR).toBe('127.0.0.1:1');
});

test('an unknown network is answered with the known ones', () => {
  const paths = scratchInstance();
  expect(() => read(paths, 'moon')).toThrow(`${paths.networks}: no network "moon", there is local`);
});

test('keys of the network file are read in any letter case', () => {
  const paths = scratchInstance();
  edit(paths.networks, '[networks.local]', '[Networks.Local]');
  edit(paths.networks, 'rollup_name =', 'Rollup_Name =');
  writeFileSync(
    paths.networks,
    readFileSync(paths.networks, 'utf8').replaceAll('[networks.local.', '[Networks.Local.'),
  );
  expect(read(paths).network).toMatchObject({ rollupName: 'messenger', services: { length: 7 } });
});

test('a service gets the settings, its own variables, and of the user only what programs need', () => {
  const paths = own(scratchInstance());
  appendFileSync(
    paths.networks,
    '\n[networks.local.services.rollup.env]\nrest_addr = "127.0.0.1:4040"\nMode = "fast"\n',
  );
  const services = planServices(read(paths), ENV);
  const rollup = services.find(({ name }) => name === 'rollup');
  expect(rollup).toMatchObject({
    command: '/bin/sh',
    own: false,
    env: {
      PATH: '/bin',
      HOME: '/home/me',
      REST_ADDR: '127.0.0.1:4040',
      Mode: 'fast',
      EXECUTION_GRPC_ADDR: '127.0.0.1:50051',
    },
  });
  expect(Object.keys(rollup?.env ?? {})).not.toContain('SECRET');
  expect(services.find(({ name }) => name === 'composer')?.env.REST_ADDR).toBe('127.0.0.1:3030');
});

test('no secret is in any argument or variable of a service', () => {
  const paths = own(scratchInstance());
  const key = readFileSync(paths.composerKey, 'utf8');
  const validator: { priv_key: { value: string } } = JSON.parse(readFileSync(paths.validatorKey, 'utf8'));
  const all = JSON.stringify(planServices(read(paths), ENV));
  expect([all.includes(key), all.includes(validator.priv_key.value)]).toEqual([false, false]);
});

test('the network takes precedence over the base settings, with a notice', () => {
  const paths = own(scratchInstance());
  appendFileSync(paths.base, 'svc_conductor_sequencer_grpc_url = "http://a:1"\n');
  const instance = read(paths);
  expect(planServices(instance, ENV)[0]?.env.SVC_CONDUCTOR_SEQUENCER_GRPC_URL).toBe('http://127.0.0.1:8080');
  expect(withoutEffect(instance).map(toLine)).toEqual([
    `svc_conductor_sequencer_grpc_url has no effect: overridden by the network: ${paths.base} has svc_conductor_sequencer_grpc_url = http://a:1; ${paths.networks} has networks.local.sequencer_grpc = http://127.0.0.1:8080: make svc_conductor_sequencer_grpc_url the same, or remove it`,
  ]);
});

test.each([
  ['local_path = "relative/path"', 'local_path: expected an absolute path, got relative/path'],
  ['local_path = "/no/such/file"', 'local_path: no file /no/such/file'],
  ['local_path = "/etc/passwd"', 'local_path: /etc/passwd is not executable: `chmod +x /etc/passwd`'],
  ['local_path = "/tmp"', 'local_path: /tmp is a directory, not a program'],
  [
    'local_path = "builtin:chess"',
    'local_path: no builtin chess, there is sequencer, composer, messenger, evm, da, relayer, conductor, withdrawer, faucet, explorer',
  ],
  ['cwd = "/no/such"', 'cwd: no directory /no/such'],
])('refuses a service with %s', (line, message) => {
  const paths = own(scratchInstance());
  const key = line.startsWith('cwd') ? '' : 'local_path = "/bin/sh"';
  if (key !== '') edit(paths.networks, key, line);
  else edit(paths.networks, '[networks.local.services.sequencer]', `[networks.local.services.sequencer]\n${line}`);
  expect(() => planServices(read(paths), ENV)).toThrow(
    `${paths.networks}: networks.local.services.sequencer.${message}`,
  );
});

test('a service of another label needs a path or a download', () => {
  const paths = own(scratchInstance());
  appendFileSync(paths.networks, '\n[networks.local.services.chat]\n');
  expect(() => planServices(read(paths), ENV)).toThrow(
    `${paths.networks}: networks.local.services.chat.local_path: is empty: give the absolute path of the program, or a download_url`,
  );
});

test('our services run on this Node, in start order, with the ports of the settings', () => {
  const services = planServices(read(scratchInstance({ portOffset: 10 })), ENV, BUILT);
  expect(services.map(({ name, after, own: ownNames }) => [name, after, ownNames])).toEqual([
    ['sequencer', [], true],
    ['composer', [], true],
    ['rollup', [], true],
    ['conductor', [], true],
    ['withdrawer', [], true],
    ['messenger-faucet', [], true],
    ['explorer', [], true],
  ]);
  expect(services.map(({ command, args }) => [command, ...args])).toEqual(
    [
      ['--max-semi-space-size=4'],
      ['--max-semi-space-size=4'],
      ['--max-semi-space-size=16', '--max-old-space-size=256'],
      ...Array.from({ length: 4 }, () => ['--max-semi-space-size=4', '--max-old-space-size=256']),
    ].map((flags) => [process.execPath, ...flags, BUILT.sequencer]),
  );
  expect(services.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([
    26667, 8090, 9010, 50062, 50063, 9011, 3040, 50061, 9013, 50064, 9012, 2461, 9030, 3044, 9019, 3043, 9018,
  ]);
  expect(services.map(({ ready }) => ready?.kind === 'http' && ready.url)).toEqual([
    'http://127.0.0.1:26667/health',
    'http://127.0.0.1:50063/readyz',
    'http://127.0.0.1:3040/readyz',
    'http://127.0.0.1:50064/readyz',
    'http://127.0.0.1:2461/readyz',
    'http://127.0.0.1:3044/readyz',
    'http://127.0.0.1:3043/healthz',
  ]);
});

test("a program of the user's waits for sequencer and composer, and gets its path expanded", () => {
  const paths = scratchInstance();
  const program = join(paths.directory, 'rollup.sh');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  const text = readFileSync(paths.networks, 'utf8');
  writeFileSync(
    paths.networks,
    text.replace(/(services\.rollup\][^[]*local_path = )""/, `$1"$SWITCHYARD_INSTANCE/rollup.sh"`),
  );
  expect(planServices(read(paths), ENV, BUILT).at(-1)).toMatchObject({
    name: 'rollup',
    command: program,
    after: ['sequencer', 'composer'],
    own: false,
    ports: [],
  });
});

test('metrics have a port only when they are on, and one port for two settings is refused', () => {
  const paths = scratchInstance();
  edit(paths.base, 'svc_sequencer_no_metrics = "false"', 'svc_sequencer_no_metrics = false');
  edit(
    paths.base,
    'svc_sequencer_metrics_http_listener_addr = "127.0.0.1:9000"',
    'svc_sequencer_metrics_http_listener_addr = "127.0.0.1:3030"',
  );
  expect(() => planServices(read(paths), ENV, BUILT)).toThrow(
    `port 3030: given to sequencer (svc_sequencer_metrics_http_listener_addr in ${paths.base}) and to rollup (rest_addr in ${paths.base})`,
  );
});

test('an address that is none is named with its setting and file', () => {
  const paths = scratchInstance();
  edit(paths.base, 'rest_addr = "127.0.0.1:3030"', 'rest_addr = "3030"');
  expect(() => planServices(read(paths), ENV, BUILT)).toThrow(
    `rest_addr in ${paths.base}: expected host:port, got "3030"`,
  );
});
