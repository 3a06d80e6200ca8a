import { expect, test } from 'vitest';
import { makeCommand, parseOptions } from './options.ts';

const parse = (...args: string[]) => parseOptions(args, () => 'new');

test('kills follow the length of the run', () => {
  expect(parse()).toMatchObject({ minutes: 1, kills: 25, seed: 'new', rate: 200 });
  expect(parse('--minutes', '0.5')).toMatchObject({ kills: 13 });
});

test('the printed command means the same run', () => {
  const options = parse(
    '--minutes',
    '2',
    '--seed',
    's',
    '--rollup',
    'evm',
    '--engine',
    'cometbft',
    '--faults',
    'kill,disk',
    '--data-availability',
    'local',
    '--targets',
    'relayer,da',
  );
  if (options === undefined) throw new Error('no options');
  const [, , , , ...args] = makeCommand(options).split(' ');
  expect(parse(...args)).toEqual(options);
});

test.each([
  [['--minutes', 'x'], /--minutes/],
  [['--rate', '501'], /--rate: expected a number from 1 to 500, got 501/],
  [['--rollup', 'other'], /--rollup: expected one of messenger, evm, got other/],
  [['--faults', 'kill,fire'], /--faults: expected one of .*, got fire/],
  [['--data-availability', 'other'], /--data-availability: expected one of none, local, celestia, got other/],
  [['--nonsense'], /nonsense/],
])('%j is refused with one line', (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});
