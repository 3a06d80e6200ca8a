import { expect, test } from 'vitest';
import { sharedOptionsLast } from './run.ts';

test.each([
  [['--instance', 'chat', 'query', 'texts'], 'query texts --instance chat'],
  [['--json', '--instance=chat', 'query', 'texts', '--limit', '3'], 'query texts --limit 3 --json --instance=chat'],
  [['--home', '/h', 'submit', 'text', '--', '--hi'], 'submit text --home /h -- --hi'],
  [['query', 'texts', '--instance', 'chat'], 'query texts --instance chat'],
  [['--version'], '--version'],
  [['constructor', 'query'], 'constructor query'],
  [['--json'], '--json'],
  [['--instance'], '--instance'],
  [[], ''],
])('%j is %j to the command', (args, expected) => {
  expect(sharedOptionsLast(args).join(' ')).toBe(expected);
});
