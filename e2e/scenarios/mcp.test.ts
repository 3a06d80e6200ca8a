import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network, root, until } from '../support/network.ts';

/* `switchyard mcp` as a client of the protocol starts it, alongside a network of one process. */

const BIN = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
const BOB = 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2';
const CAROL = 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk';

/** Also firm at once, if blocks are final. */
const EXECUTED = expect.stringMatching(/^(executed|firm)$/);

let network: Network;
let client: Client;
const clients: Client[] = [];
const answers: string[] = [];

/** Protocol messages only: any other text on standard output is an error of the client. */
const errors: Error[] = [];

async function connect(instance: string): Promise<Client> {
  const made = new Client({ name: 'scenario', version: '1.0.0' });
  made.onerror = (error) => errors.push(error);
  const args = [BIN, 'mcp', '--instance', instance];
  const env = { ...(process.env as Record<string, string>), SWITCHYARD_HOME: network.home };
  await made.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  clients.push(made);
  return made;
}

async function call(name: string, args: Record<string, unknown> = {}, by = client) {
  const { content, isError = false } = await by.callTool({ name, arguments: args });
  const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('');
  answers.push(text);
  return { text, isError };
}

const value = async (name: string, args?: Record<string, unknown>): Promise<unknown> =>
  JSON.parse((await call(name, args)).text);

beforeAll(async () => {
  network = await createNetwork({ isBare: true, hasProcesses: false });
  await network.start();
  client = await connect('e2e');
}, 120_000);

afterAll(async () => {
  await Promise.all(clients.map((each) => each.close()));
  await network?.dispose();
});

test('lists its tools, and which of them only read', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(
    ['docs_search', 'doctor', 'query', 'replay', 'simulate', 'status', 'submit', 'trace'].sort(),
  );
  const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
  expect(writing.map(({ name }) => name)).toEqual(['submit']);
});

test('status and doctor answer as the commands do', async () => {
  expect(await value('status')).toMatchObject({ instance: 'e2e', running: true, network: 'local' });
  const { text } = await call('doctor');
  expect(text).toMatch(/"findings": \[/);
});

test('a text is submitted, found by its trace, read, and replayed', async () => {
  // Begins like an option, and stays a text.
  const text = '--private-key "hello"';
  const sent = await value('submit', { what: 'text', text, from: 'bob' });
  expect(sent).toMatchObject({ sender: BOB, state: EXECUTED, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  // The line above has checked its form.
  const { hash, block } = sent as { hash: string; block: number };
  expect(await value('trace', { hash: `0x${hash.toUpperCase()}` })).toMatchObject({ hash, state: EXECUTED, block });
  expect(await value('query', { what: 'texts' })).toMatchObject([{ id: 0 }, { message: text, block }]);
  expect(await value('replay', { transaction: hash })).toMatchObject({ blocks: [{ number: String(block) }] });
});

test('a transfer arrives', async () => {
  const before = await value('query', { what: 'balance', address: CAROL });
  expect(await value('submit', { what: 'transfer', to: CAROL, amount: '7' })).toMatchObject({ state: EXECUTED });
  expect([before, await value('query', { what: 'balance', address: CAROL })]).toMatchObject([
    { balance: '0' },
    { balance: '7' },
  ]);
});

test('a simulation of one seed holds, and its answer is the same again', async () => {
  const once = await value('simulate', { seed: 7, heights: 2 });
  expect(once).toMatchObject({ holds: true, results: [{ seed: 7, violations: [] }] });
  expect(await value('simulate', { seed: 7, heights: 2 })).toEqual(once);
});

test('a search of the documentation finds the page about bundles', async () => {
  const found = (await value('docs_search', { query: 'atomic bundles submit' })) as { page: string; text: string }[];
  expect(found.map(({ page }) => page)).toContain('how-to/submit-bundles.md');
  expect(found.every(({ text }) => text.length <= 1_500)).toBe(true);
  expect(await value('docs_search', { query: '...' })).toEqual([]);
});

describe('refusals', () => {
  test.each([
    ['submit', { what: 'text', text: 'x', from: 'mallory' }, /from/],
    ['submit', { what: 'text', text: 'x'.repeat(2_001) }, /text/],
    ['submit', { what: 'transfer', to: `${BOB}x`, amount: '1' }, /to/],
    ['submit', { what: 'transfer', to: BOB }, /^a transfer: expected to and amount$/],
    ['submit', { what: 'text', text: 'x', key: '00' }, /additional properties/],
    ['trace', { hash: '--help' }, /hash/],
    ['query', { what: 'nonce' }, /^address: expected one for nonce, got none$/],
    ['replay', { from: 1, to: 101 }, /^to: expected at most 100, 100 blocks from 1, got 101$/],
    ['simulate', { seeds: 6 }, /seeds/],
    ['docs_search', { query: '' }, /query/],
  ])('%s with a wrong argument, %#', async (name, args, line) => {
    const { text, isError } = await call(name, args);
    expect(isError, text).toBe(true);
    expect(text).toMatch(line);
  });

  test('a second simulation beside the first one', async () => {
    const both = await Promise.all([1, 2].map((seed) => call('simulate', { seed, heights: 2 })));
    expect(both.map(({ isError }) => isError)).toEqual([false, true]);
    expect(both[1]?.text).toBe('a replay or a simulation is under way: call simulate after it');
  });

  test('a submission to a network whose sequencer runs elsewhere, or whose messenger does', async () => {
    const line =
      /^instance \w+: expected a network whose sequencer and messenger run on this machine, got network local/;
    for (const [instance, change] of [
      ['nosequencer', without(/^\[networks\.local\.services\.sequencer[\].]/)],
      ['far', (text: string) => text.replace(/^sequencer_rpc = .*$/m, 'sequencer_rpc = "https://rpc.example.org"')],
    ] as const) {
      expect(await network.switchyard('dev', 'init', '--instance', instance)).toMatchObject({ status: 0 });
      const file = join(network.home, instance, 'networks-config.toml');
      const text = readFileSync(file, 'utf8');
      expect(change(text)).not.toBe(text);
      writeFileSync(file, change(text));
      const { text: refusal, isError } = await call('submit', { what: 'text', text: 'x' }, await connect(instance));
      expect([isError, refusal]).toEqual([true, expect.stringMatching(line)]);
    }
    expect(await value('query', { what: 'texts' })).toHaveLength(2);
  });
});

test('no answer has had a secret of the instance, and standard output had messages only', async () => {
  const config = join(network.home, 'e2e', 'config');
  const secrets = readdirSync(config)
    .filter((name) => /key|secret/.test(name))
    .flatMap((name) => readFileSync(join(config, name), 'utf8').match(/[0-9a-fA-F]{64}|[\w+/]{80,}={0,2}/g) ?? []);
  expect(secrets.length).toBeGreaterThan(2);
  const all = answers.join('\n');
  expect(all.length).toBeGreaterThan(5_000);
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  expect(errors).toEqual([]);
});

test('the server ends with its client', async () => {
  const other = await connect('e2e');
  const { transport } = other;
  const pid = (transport instanceof StdioClientTransport && transport.pid) || 0;
  expect(pid).toBeGreaterThan(0);
  await other.close();
  await until('the process has ended', () => (isAlive(pid) ? undefined : true));
});

/** @returns an edit of a file of networks that removes the tables whose heading matches. */
function without(heading: RegExp): (text: string) => string {
  return (text) =>
    text
      .split(/^(?=\[)/m)
      .filter((table) => !heading.test(table))
      .join('');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
