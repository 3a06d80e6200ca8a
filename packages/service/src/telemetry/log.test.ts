import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Secret } from '../settings/parsers.ts';
import { createLogger } from './log.ts';
import { getLevel, parseLogFilter } from './log-filter.ts';

function logged(filter: string, pretty = false, name = 'composer') {
  const lines: string[] = [];
  const parsed = parseLogFilter(filter);
  if (parsed === undefined) throw new Error(`no filter: ${filter}`);
  const log = createLogger({ name, filter: parsed, pretty, write: (line) => void lines.push(line) });
  return { log, lines, records: () => lines.map((line) => JSON.parse(line)) };
}

test.each([
  ['info', 'composer', 'info'],
  ['', 'composer', 'info'],
  ['astria_composer=debug', 'composer', 'debug'],
  ['switchyard-composer=warn', 'composer', 'warn'],
  ['other=trace', 'composer', 'info'],
  ['debug,mempool=trace', 'mempool', 'trace'],
  ['debug,mempool=trace', 'composer', 'debug'],
  ['OFF', 'composer', 'off'],
  ['composer[span{field=1}]=error', 'composer', 'error'],
])('the directives %j give %s the level %s', (text, target, level) => {
  const filter = parseLogFilter(text);
  expect(filter && getLevel(filter, target)).toBe(level);
});

test.each(['loud', 'a=loud', 'a=b=c', 'a b=info'])('refuses the directives %j', (text) => {
  expect(parseLogFilter(text)).toBeUndefined();
});

test('writes JSON lines with level, time, fields and sentence', () => {
  const { log, records } = logged('info');
  log.info({ height: 5n, hash: Uint8Array.of(1, 255) }, 'block committed');
  log.debug('not shown');
  expect(records()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      name: 'composer',
      height: 5,
      hash: '01ff',
      msg: 'block committed',
    },
  ]);
});

test('a component has the level of its own directive', () => {
  const { log, records } = logged('warn,mempool=debug');
  log.child({ component: 'mempool' }).debug('shown');
  log.child({ component: 'rpc' }).info('not shown');
  expect(records()).toMatchObject([{ component: 'mempool', msg: 'shown' }]);
});

test('never writes secrets, and only the length of long byte strings', () => {
  const { log, lines } = logged('info');
  log.info(
    { privateKey: 'abc123', deep: { token: 'abc123' }, key: new Secret('abc123'), body: new Uint8Array(100) },
    'x',
  );
  expect(lines[0]).not.toContain('abc123');
  expect(lines[0]).toContain('<100 bytes>');
});

test('writes an error as one line with its causes', () => {
  const { log, records } = logged('info');
  log.warn({ err: new Error('cannot send', { cause: new Error('refused\nhere') }) }, 'x');
  expect(records()[0].err).toBe('cannot send: refused here');
});

test('writes human lines on request', () => {
  const { log, lines } = logged('info', true);
  log.child({ component: 'rpc' }).warn({ port: 1, why: 'two words', word: 'one' }, 'will retry');
  expect(lines[0]?.slice(12)).toBe(' WARN  rpc: will retry port=1 why="two words" word=one\n');
});

test('keeps a field from starting a line of its own', () => {
  const { log, lines } = logged('info', true);
  log.info({ text: 'a\nb\u001b[31m', word: '\u009b2J' }, 'x');
  expect(lines.join('').trimEnd()).not.toMatch(/\p{Cc}/u);
});

test.each([true, false])('shows hidden characters of a field by their code, for people: %s', (pretty) => {
  const { log, lines } = logged('info', pretty);
  log.info({ name: 'al\u200bice', why: { reason: '\u202eevil\u009b2J\ufeff' } }, 'x');
  expect(lines.join('').trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(lines[0]).toContain('al\\u200bice');
});

/** Logs before, while and after the disk of its output is full. */
const LOGS = `
  import { rmSync, writeFileSync } from 'node:fs';
  const { createLogger } = await import(process.argv[1]);
  const log = createLogger({ name: 'test', filter: { general: 'info', targets: new Map() }, pretty: false });
  log.info('before');
  try {
    writeFileSync(process.argv[2], Buffer.alloc(10_000_000));
  } catch {}
  for (let at = 0; at < 1_000; at += 1) log.info({ text: 'x'.repeat(2_000) }, 'while it is full');
  rmSync(process.argv[2]);
  log.info('after');
  log.info('later');
`;
const built = new URL('../../dist/telemetry/log.js', import.meta.url).href;
const hasMounts = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

// Defect: A logger kept in memory without a bound the lines that a full disk refused
test.runIf(hasMounts)('loses lines to a disk that is full, counts them, and logs again when there is room', () => {
  const disk = mkdtempSync(join(tmpdir(), 'log-'));
  const shell = `mount -t tmpfs -o size=4m none ${disk}; "$0" --input-type=module -e "$1" "$2" ${disk}/other > ${disk}/log; cat ${disk}/log`;
  const args = ['-rm', 'bash', '-c', shell, process.execPath, LOGS, built];
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', maxBuffer: 10_000_000 });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kept = lines.filter(({ msg }) => msg === 'while it is full').length;
  const others = lines.filter(({ msg }) => msg !== 'while it is full');
  expect([stderr, others.map(({ msg, lines: lost }) => [msg, lost])]).toEqual([
    '',
    [
      ['before', undefined],
      ['log lines are lost', 1_000 - kept],
      ['after', undefined],
      ['later', undefined],
    ],
  ]);
});
