import { join } from 'node:path';
import { findBrowser, openPage } from '../support/browser.ts';
import { createNetwork, root } from '../support/network.ts';
import { openTmux } from '../support/tmux.ts';
import { talk, trade } from './activity.ts';
import { terminalPicture } from './terminal-picture.ts';

/*
 * The pictures of the terminal UI in docs/images: `node e2e/dist/pages/terminal.js`. A real terminal (tmux), real services.
 */

const browser = findBrowser();
if (browser === undefined) throw new Error('no Chromium was found');
const directory = join(root, 'docs', 'images');
const network = await createNetwork({ instance: 'default', init: ['--template', 'messenger,evm'] });
const terminal = await openTmux({ columns: 100, rows: 28 }, { ...network.env, COLORTERM: 'truecolor' });
const page = await openPage(browser);
try {
  const command = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
  await terminal.type(`${process.execPath} ${command} dev run`);
  await terminal.sees(/all ready/, 120_000);
  await terminal.press('Down', 'Down', 'Down');
  await talk(network);
  await trade(network);
  await terminal.sees(/ evm +ready +height \d+ +0 +\d/);
  await terminalPicture(page, await terminal.styled(), join(directory, 'terminal-ui-services.png'));
  await terminal.press('t');
  await terminal.sees(/in rollup block \d+[\s\S]*firm +yes/);
  await terminalPicture(page, await terminal.styled(), join(directory, 'terminal-ui-transactions.png'));
} finally {
  await network.switchyard('dev', 'stop', '--instance', network.instance);
  await Promise.all([terminal.close(), page.close()]);
  await network.dispose();
}
