import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeOffset, PORTS, root, run } from '../support/network.ts';
import { PageSession } from '../support/tutorial.ts';

/** `docs/tutorials/first-message.md`, command by command, in one shell session, on ports and in a home of its own. */
const home = mkdtempSync(join(tmpdir(), 'switchyard-tutorial-'));
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const offset = await freeOffset();
  env = {
    NO_COLOR: '1',
    SWITCHYARD_HOME: home,
    SWITCHYARD_PORT_OFFSET: String(offset),
    ROLLUP_URL: `http://127.0.0.1:${PORTS.rollup + offset}`,
    SEQUENCER_URL: `http://127.0.0.1:${PORTS.rpc + offset}`,
  };
});

afterAll(async () => {
  await run('npx', ['switchyard', 'dev', 'stop', '--instance', 'tutorial'], env);
  rmSync(home, { recursive: true, force: true });
});

/** The binaries that npx finds, without the half second that npx itself takes for each. */
const shell = (command: string) => command.replaceAll('npx ', `${root}/node_modules/.bin/`);

test('the commands of the tutorial print what it shows', async () => {
  const session = new PageSession(join(root, 'docs', 'tutorials', 'first-message.md'), { cwd: root, env, shell });
  expect(session.steps.length).toBeGreaterThan(25);
  await session.follow();
});
