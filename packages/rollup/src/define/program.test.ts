import { formatAddress } from '@switchyard/protocol';
import { serveHttp } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';
import { notesRollup } from '../testing/notes.ts';
import { signers } from '../testing/tally.ts';
import { until } from '../testing/test-node.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { rollupProgram } from './program.ts';

const KEY = '01'.repeat(32);
const [alice] = signers;
const GENESIS = JSON.stringify({
  rollup_name: 'notes',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The program with these arguments; its output and exit codes are kept. */
async function ran(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const seen = { out: '', err: '', exits: [] as number[] };
  const nothing = () => undefined;
  const world = {
    ...{ env, args, terminal: false, onSignal: nothing, onInputEnd: nothing, onUnhandled: nothing },
    stdout: (text: string) => {
      seen.out += text;
    },
    stderr: (text: string) => {
      seen.err += text;
    },
    exit: (code: number) => void seen.exits.push(code),
  };
  await rollupProgram(notesRollup, { world });
  return seen;
}

async function served() {
  const node = await testRollup(notesRollup, GENESIS);
  closing.push(() => node.stop());
  const { url, close } = await serveHttp({ listen: { host: '127.0.0.1', port: 0 }, app: node.app, name: 'REST_ADDR' });
  closing.push(close);
  return { node, url };
}

test('submits an action, waits for its block, and asks a query', async () => {
  const { node, url } = await served();
  const env = { ROLLUP_PRIVATE_KEY: KEY, ROLLUP_URL: url };
  const submitting = ran(['submit', 'post', '--text', 'from a shell', '--tags', '["a","b"]'], env);
  await until(() => node.composer.queued.length === 1, 1_000_000);
  await node.block();
  const { out, exits } = await submitting;
  expect(out).toMatch(/^(executed|firm) in block 1: transaction [0-9a-f]{64}\n$/);
  expect(exits).toEqual([0]);
  const owner = formatAddress(alice.account);
  expect(await ran(['query', 'note', '--id', '0'], env)).toEqual({
    ...{ out: `{"id":"0","note":{"owner":"${owner}","text":"from a shell","tags":["a","b"]}}\n`, err: '', exits: [0] },
  });
  expect((await ran(['query', 'notesOf', '--owner', owner, '--newest', 'true', '--url', url])).out).toBe(
    '{"block":"1","ids":["0"]}\n',
  );
  expect(await ran(['query', 'note', '--id', '9'], env)).toMatchObject({
    ...{ out: '', err: 'notes: the query note has no answer for these parameters\n', exits: [1] },
  });
  const refused = await ran(['submit', 'post', '--text', ''], env);
  expect(refused).toMatchObject({ exits: [1] });
  expect(refused.err).toMatch(/^notes: empty: field text \(transaction [0-9a-f]{64}\)\n$/);
});

test('text of others moves no cursor and no direction of a terminal', async () => {
  const { node, url } = await served();
  const env = { ROLLUP_PRIVATE_KEY: KEY, ROLLUP_URL: url };
  await ran(['submit', 'post', '--text', '\u001b[2J\u202eevil', '--no-wait'], env);
  await node.block();
  const { out } = await ran(['query', 'note', '--id', '0'], env);
  expect(out).toContain('"text":"\\u001b[2J\\u202eevil"');
});

test('a nested value is JSON, and one that is accepted need not be waited for', async () => {
  const { url } = await served();
  const [, bob] = signers;
  const args = [
    'submit',
    'give',
    '--id',
    '0',
    '--to',
    formatAddress(bob.account),
    '--how',
    '{"kind":"loudly","times":2,"again":true}',
    '--no-wait',
  ];
  const { out, err } = await ran(args, { ROLLUP_PRIVATE_KEY: KEY, ROLLUP_URL: url });
  expect(err).toBe('');
  expect(out).toMatch(/^queued: transaction [0-9a-f]{64}\n$/);
});

test.each([
  [['sumbit'], 'unknown command "sumbit"; did you mean "submit"?; see --help'],
  [['submit', 'psot'], 'expected one of post, remove, give as action, got "psot"; did you mean "post"?'],
  [['submit'], 'expected one of post, remove, give as action, got nothing'],
  [['submit', 'remove'], '--id: expected a value of type u64, got nothing'],
  [['submit', 'remove', '--id', '-1'], '--id: expected a whole number from 0 to 2^64 - 1, got "-1"'],
  [['submit', 'remove', '--id=1', '--id=2'], '--id: expected it once, got it twice'],
  [['submit', 'remove', '--idd', '1'], 'unknown option --idd; did you mean "--id"?'],
  [['submit', 'remove', '1'], 'unexpected argument "1"; values have options, see --help'],
  [
    ['submit', 'remove', '--id', '1'],
    'expected a key that signs, got none: give --private-key-file, or set ROLLUP_PRIVATE_KEY',
  ],
  [
    ['submit', 'give', '--id', '1', '--to', 'x', '--how', '{}'],
    '--to: expected a bech32m address of 20 bytes, got "x"',
  ],
  [
    ['query', 'note', '--id', '1', '--url', 'nowhere'],
    '--url: expected a URL such as http://127.0.0.1:3030, got "nowhere"',
  ],
])('%j is refused with one line', async (args, message) => {
  expect(await ran(args)).toEqual({ out: '', err: `notes: ${message}\n`, exits: [64] });
});

test('a published key signs for a local node alone', async () => {
  const env = { ROLLUP_PRIVATE_KEY: '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90' };
  const { err, exits } = await ran(['submit', 'remove', '--id', '1', '--url', 'https://rollup.example'], env);
  expect(err).toBe(
    'notes: the key is a published one, and https://rollup.example is not local: use a key of your own, or give --allow-dev-key\n',
  );
  expect(exits).toEqual([64]);
  const wrong = await ran(['submit', 'remove', '--id', '1'], { ROLLUP_PRIVATE_KEY: 'secret' });
  expect(wrong.err).toContain('ROLLUP_PRIVATE_KEY: malformed');
  expect(wrong.err).not.toContain('secret');
});

test('help has actions, queries and settings, and that of a command its options', async () => {
  const { out } = await ran(['--help']);
  for (const line of [
    'notes: notes with an owner',
    '  post --text --tags   writes a note',
    '  notesOf --owner --limit --newest',
    'GENESIS_FILEPATH',
  ])
    expect(out).toContain(line);
  expect((await ran(['submit', 'post', '--help'])).out).toContain(
    '  --text (a value of type text)             The words',
  );
  expect(JSON.parse((await ran(['definition'])).out)).toMatchObject({
    fingerprint: notesRollup.fingerprint,
    actions: [{ name: 'post' }, {}, {}],
  });
});
