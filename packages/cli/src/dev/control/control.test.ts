import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { FOREVER } from '@switchyard/network/supervisor/testing';
import { afterEach, expect, test } from 'vitest';
import { instancePaths } from '../instance/home.ts';
import { currentRun } from '../instance/run-file.ts';
import { startInstance } from '../run/start.ts';
import { getStatus } from '../status/status.ts';
import { programsInstance, scratchPaths } from '../testing.ts';
import { connectControl } from './client.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((running) => running.stop()));
});

async function running(scripts: Readonly<Record<string, string>>, paths = scratchPaths()) {
  programsInstance(paths, scripts);
  const notices: string[] = [];
  const instance = await startInstance({
    paths,
    network: 'local',
    env: { PATH: process.env.PATH },
    onNotice: (line) => notices.push(line),
  });
  open.push(instance);
  await instance.supervisor.ready();
  const control = await connectControl(paths);
  if (control === undefined) throw new Error('accepts no commands');
  const states = async () => (await control.status()).services.map(({ name, state }) => `${name} ${state}`);
  return { paths, instance, control, states, notices };
}

test('services are stopped, started and restarted from another process', async () => {
  const { paths, control, states } = await running({ one: FOREVER, two: FOREVER });
  await control.stop('one');
  expect(await states()).toEqual(['one stopped', 'two ready']);
  await control.start('one');
  const [before] = (await getStatus(paths, {})).services;
  await control.restart('one');
  const status = await getStatus(paths, {});
  expect(status).toMatchObject({ running: true, network: 'local', paused: false, changedFiles: [] });
  expect(status.services).toMatchObject([{ name: 'one', state: 'ready', restarts: 0 }, { name: 'two' }]);
  expect(status.services[0]?.pid).not.toBe(before?.pid);
  await expect(control.stop('tow')).rejects.toThrow('no service tow, there is one, two; did you mean "two"?');
});

test('a pause ends all services and keeps the instance; resume brings them back', async () => {
  const { paths, control, states } = await running({ one: FOREVER, two: FOREVER });
  await control.pause();
  expect(await states()).toEqual(['one stopped', 'two stopped']);
  expect(currentRun(paths)?.tool.pid).toBe(process.pid);
  await expect(control.start('one')).rejects.toThrow('all services are paused');
  await control.resume();
  expect(await states()).toEqual(['one ready', 'two ready']);
});

test('edited files are named, and read again by a restart; broken ones change nothing', async () => {
  const { paths, control } = await running({ one: FOREVER });
  const good = readFileSync(paths.base, 'utf8');
  writeFileSync(paths.base, 'greeting = "broken\n');
  expect((await control.status()).changedFiles).toEqual([paths.base]);
  await expect(control.restartAll()).rejects.toThrow(/base-config\.toml:1:\d+: not valid TOML/);
  await expect(control.restart('one')).rejects.toThrow('not valid TOML');
  expect((await control.status()).services).toMatchObject([{ state: 'ready', restarts: 0 }]);
  writeFileSync(paths.base, `${good}more = "yes"\n`);
  await control.restartAll();
  expect(await control.status()).toMatchObject({ changedFiles: [], paused: false });
  writeFileSync(
    paths.networks,
    `${readFileSync(paths.networks, 'utf8')}[networks.local.services.two]\nlocal_path = "/bin/sh"\n`,
  );
  await expect(control.restartAll()).rejects.toThrow('has other services now (one, two): `switchyard dev stop`');
});

test('only this user reaches the socket, and nothing of it is left', async () => {
  const { paths, instance } = await running({ one: FOREVER });
  const path = currentRun(paths)?.control ?? '';
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  await instance.stop();
  expect([existsSync(path), await connectControl(paths)]).toEqual([false, undefined]);
});

test('an instance deep down has its socket elsewhere, since addresses of sockets are short', async () => {
  const deep = instancePaths(join(scratchPaths().home, 'd'.repeat(80)), 'test');
  const { paths, states } = await running({ one: FOREVER }, deep);
  expect(currentRun(paths)?.control?.length).toBeLessThanOrEqual(100);
  expect(await states()).toEqual(['one ready']);
});

test('an unknown command is refused', async () => {
  const { paths } = await running({ one: FOREVER });
  const socketPath = currentRun(paths)?.control ?? '';
  const status = await new Promise((resolve) => {
    request({ socketPath, path: '/services/one/paint', method: 'POST' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end();
  });
  expect(status).toBe(404);
});

test('a tool that does not answer is reported, and status asks the services themselves', async () => {
  const paths = scratchPaths();
  programsInstance(paths, { one: FOREVER });
  const instance = await startInstance({ paths, network: 'local', env: {} });
  open.push(instance);
  const run = readFileSync(paths.run, 'utf8');
  writeFileSync(paths.run, run.replace(/"control": "[^"]*"/, `"control": "${paths.home}/absent"`));
  const control = await connectControl(paths);
  await expect(control?.pause()).rejects.toThrow('the tool that runs the instance does not answer');
  expect((await getStatus(paths, {})).services).toMatchObject([{ name: 'one', state: 'ready' }]);
});
