import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { getProgram, LAYER_PROCESSES, PROCESSES } from '@switchyard/stack/programs';
import { afterAll, expect, test } from 'vitest';
import { instancePaths } from '../../dev/instance/home.ts';
import { choosePorts, type Ports, readChoices, toPort, writeChoices } from './place.ts';

const root = mkdtempSync(join(tmpdir(), 'switchyard-place-'));
afterAll(() => rmSync(root, { recursive: true }));

const urls = { executor: 'http://executor', wsExecutor: 'ws://executor' };

function deployed(name: string, ports: { readonly basePort: number; readonly proxyPort: number }) {
  const paths = instancePaths(root, name);
  mkdirSync(paths.directory, { recursive: true });
  writeFileSync(paths.networks, '');
  writeChoices(paths, { ...ports, genesis: 'g', urls });
  return paths;
}

test('every listener has a port of its own', () => {
  const ports = { basePort: 20_000 };
  const getPorts = (process: (typeof PROCESSES | typeof LAYER_PROCESSES)[number]) =>
    [...Object.keys(getProgram(process).listeners), 'metrics'].map((port) => toPort(ports, process, port));
  const all = [...PROCESSES, ...LAYER_PROCESSES].flatMap(getPorts);
  all.push(toPort(ports, 'proxy', 'metrics'));
  expect(Math.min(...all)).toBe(20_000);
  expect(new Set(all).size).toBe(all.length);
});

test('a rollup may have any name that a manifest takes', () => {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-place-'));
  for (const name of ['1abc', 'a--b', 'z'.repeat(43)])
    expect(instancePaths(home, name).directory).toBe(join(home, name));
  rmSync(home, { recursive: true });
});

async function chosen(port?: number): Promise<Ports> {
  const { basePort, proxyPort, release } = await choosePorts(root, port);
  await release();
  return { basePort, proxyPort };
}

test('ports of other deployments, and those that something listens on, are not chosen', async () => {
  const first = await chosen();
  deployed('first', first);
  const second = await chosen();
  expect(second.basePort).toBeGreaterThan(first.basePort);
  expect(second.proxyPort).toBeGreaterThan(first.proxyPort);
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(second.basePort + 3, '127.0.0.1', resolve));
  try {
    expect((await chosen(await freePort())).basePort).toBeGreaterThan(second.basePort);
  } finally {
    server.close();
  }
});

test('two that are chosen at the same moment differ, whether one has been written down by then or not', async () => {
  const both = await Promise.all([choosePorts(root, undefined), choosePorts(root, undefined)]);
  const [one, other] = both;
  expect(new Set(both.map(({ basePort }) => basePort)).size).toBe(2);
  expect(new Set(both.map(({ proxyPort }) => proxyPort)).size).toBe(2);
  await expect(choosePorts(root, one.proxyPort)).rejects.toThrow(
    `--port: something listens on ${one.proxyPort} already`,
  );
  deployed('one', one);
  await one.release();
  expect(await chosen()).not.toMatchObject({ basePort: one.basePort });
  await other.release();
});

test('what was chosen is read again; a damaged file is refused with its path', () => {
  const paths = deployed('second', { basePort: 1, proxyPort: 2 });
  expect(readChoices(paths)).toEqual({ basePort: 1, proxyPort: 2, genesis: 'g', urls });
  expect(readChoices(instancePaths(root, 'absent'))).toBeUndefined();
  const file = join(paths.directory, 'deployment.json');
  writeFileSync(file, '{"basePort":"1"}');
  expect(() => readChoices(paths)).toThrow(`${file}: expected what`);
  writeFileSync(file, '{');
  expect(() => readChoices(paths)).toThrow(`${file}: not valid JSON`);
});
