import { expect, test } from 'vitest';
import type { Network } from '../support/network.ts';
import type { Stack } from './stack.ts';
import { Tool } from './tool.ts';

test('the process of the tool is known where it cannot be asked, because it is paused', async () => {
  const network: Pick<Network, 'toolPid'> = { toolPid: () => 4711 };
  const tool = new Tool({ network } as unknown as Stack, () => undefined);
  expect(await tool.runningPid('tool')).toBe(4711);
});

test('kills of the tool that queue up are expected, and each is followed by one start', async () => {
  let exit: string | undefined = 'not started';
  let starts = 0;
  const network: Pick<Network, 'exit' | 'output' | 'start'> = {
    exit: () => exit,
    output: () => '',
    start: async () => {
      starts += 1;
      exit = undefined;
      return {};
    },
  };
  const reported: string[] = [];
  // Nothing else of a stack is used to start and kill its tool.
  const stack = { network, networkName: 'local' } as unknown as Stack;
  const tool = new Tool(stack, (_, detail) => void reported.push(detail));
  await tool.start();
  const kill = async () => {
    exit = 'SIGKILL';
    tool.check();
  };
  await Promise.all([tool.killed(kill), tool.killed(kill)]);
  expect({ reported, starts }).toEqual({ reported: [], starts: 3 });

  exit = 'SIGKILL';
  tool.check();
  await tool.settled();
  expect({ reported: reported.length, starts }).toEqual({ reported: 1, starts: 4 });
});
