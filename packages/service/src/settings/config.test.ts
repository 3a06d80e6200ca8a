import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { list, optional } from '../input/shapes.ts';
import { bool, integer, text, unsigned, words } from '../input/values.ts';
import { describeFields, field, InvalidConfig, loadConfig } from './config.ts';
import { hexBytes, httpUrl, listen, path, secret } from './parsers.ts';

const fields = {
  listen: field('SVC_X_LISTEN', listen, { help: 'where it listens', fallback: '127.0.0.1:1' }),
  url: field('SVC_X_URL', httpUrl, { help: 'a node' }),
  interval: field(['SVC_X_INTERVAL_MS', 'SVC_X_BLOCK_TIME_MS'], integer({ min: 10, max: 60_000 }), {
    help: 'how often',
    fallback: '2_000',
  }),
  key: field('SVC_X_KEY', secret(hexBytes(2)), { help: 'signs', fallback: 'beef' }),
};
const url = { SVC_X_URL: 'http://node:1/' };

function problems(env: Record<string, string>): readonly object[] {
  try {
    loadConfig(fields, env);
  } catch (error) {
    if (error instanceof InvalidConfig) return error.problems;
  }
  return [];
}

test('reads what is set and falls back where nothing is', () => {
  const { key, ...config } = loadConfig(fields, { ...url, SVC_X_INTERVAL_MS: '"500"', UNKNOWN: 'ignored' });
  expect(config).toEqual({ listen: { host: '127.0.0.1', port: 1 }, url: 'http://node:1', interval: 500 });
  expect(key.reveal()).toEqual(Uint8Array.of(0xbe, 0xef));
});

test.each([
  ['its other name', { SVC_X_BLOCK_TIME_MS: '11' }],
  ['another letter case', { svc_x_interval_ms: '11' }],
  ['the prefix of the reference', { ASTRIA_X_INTERVAL_MS: '11' }],
  ['the prefix of the reference in lower case', { astria_x_block_time_ms: '11' }],
])('finds a setting under %s', (_, env) => {
  expect(loadConfig(fields, { ...url, ...env }).interval).toBe(11);
});

test('prefers the exact name to another letter case', () => {
  expect(loadConfig(fields, { ...url, svc_x_interval_ms: '11', SVC_X_INTERVAL_MS: '12' }).interval).toBe(12);
});

test('names every problem at once, with what was expected, what it got and what to do', () => {
  expect(() => loadConfig(fields, { SVC_X_LISTEN: 'localhost', SVC_X_BLOCK_TIME_MS: '5' })).toThrow(
    new InvalidConfig([
      {
        variable: 'SVC_X_LISTEN',
        expected: 'host:port with a port from 0 to 65535',
        got: '"localhost"',
        advice: 'correct it, for example SVC_X_LISTEN=127.0.0.1:8080',
      },
      {
        variable: 'SVC_X_URL',
        expected: 'an http:// or https:// URL',
        got: 'nothing',
        advice: 'set it, for example SVC_X_URL=http://127.0.0.1:26657',
      },
      {
        variable: 'SVC_X_BLOCK_TIME_MS',
        expected: 'a whole number from 10 to 60000',
        got: '"5"',
        advice: 'correct it, for example SVC_X_BLOCK_TIME_MS=10',
      },
    ]),
  );
});

test('never falls back when a value is set but empty', () => {
  expect(problems({ ...url, SVC_X_LISTEN: '' })).toMatchObject([{ variable: 'SVC_X_LISTEN', got: '""' }]);
});

test('never shows a secret, whether it is right or wrong', () => {
  const wrong = problems({ ...url, SVC_X_KEY: 'deadbeef' });
  expect(wrong).toMatchObject([{ variable: 'SVC_X_KEY', expected: '2 bytes in hexadecimal (4 digits)' }]);
  expect(JSON.stringify(wrong)).not.toContain('deadbeef');
  const { key } = loadConfig(fields, { ...url, SVC_X_KEY: 'cafe' });
  expect([String(key), JSON.stringify({ key }), inspect({ key })].join()).not.toMatch(/cafe|202|254/);
});

test.each([
  ['~/data', '/home/u/data'],
  ['~', '/home/u'],
  ['$BASE/x', '/srv/x'],
  ['$' + '{BASE}x', '/srvx'],
  ['/a/~/b', '/a/~/b'],
])('expands the path %s', (value, expected) => {
  expect(path.fromText(value, { HOME: '/home/u', BASE: '/srv' })).toBe(expected);
});

test('refuses a path with a variable that is not set', () => {
  expect(path.fromText('$NOWHERE/x', {})).toBeUndefined();
});

test.each([
  [listen, '[::1]:80', { host: '::1', port: 80 }],
  [listen, '0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
  [listen, '127.0.0.1:65536', undefined],
  [listen, 'http://a:1', undefined],
  [httpUrl, 'ws://a:1', undefined],
  [httpUrl, 'HTTPS://a/b/', 'HTTPS://a/b'],
  [bool, 'Yes', true],
  [bool, 'off', false],
  [bool, 'maybe', undefined],
  [integer({ min: -1 }), '-1', -1],
  [integer(), '1e3', undefined],
  [unsigned(64), '18446744073709551615', 2n ** 64n - 1n],
  [unsigned(64), '18446744073709551616', undefined],
  [unsigned(64, { min: 1n }), '0', undefined],
  [integer(), '9007199254740993', undefined],
  [words('SoftOnly', 'FirmOnly'), 'softonly', 'SoftOnly'],
  [words('SoftOnly', 'FirmOnly'), 'soft', undefined],
  [list(integer()), ' 1, 2,,', [1, 2]],
  [list(integer()), '', []],
  [list(integer()), '1,x', undefined],
  [text, '', undefined],
  [hexBytes(2), '0xBEEF', Uint8Array.of(0xbe, 0xef)],
  [hexBytes(2), 'be', undefined],
  [hexBytes(2), 'zzzz', undefined],
])('parser %# reads %s', (parser, input, expected) => {
  expect(parser.fromText(input)).toEqual(expected);
});

test('an optional setting may be unset or empty, but not wrong', () => {
  const table = { port: field('PORT', optional(integer()), { help: 'maybe' }) };
  expect(loadConfig(table, {})).toEqual({ port: undefined });
  expect(loadConfig(table, { PORT: '' })).toEqual({ port: undefined });
  expect(() => loadConfig(table, { PORT: 'x' })).toThrow('PORT: expected a whole number, at least 0, got "x"');
});

test('prints one row of reference for each setting', () => {
  expect(describeFields(fields).split('\n').slice(2)).toEqual([
    '| `SVC_X_LISTEN` | host:port with a port from 0 to 65535 | `127.0.0.1:1` | where it listens |',
    '| `SVC_X_URL` | an http:// or https:// URL | required | a node |',
    '| `SVC_X_INTERVAL_MS` | a whole number from 10 to 60000 | `2_000` | how often |',
    '| `SVC_X_KEY` | 2 bytes in hexadecimal (4 digits) | `beef` | signs |',
  ]);
});
