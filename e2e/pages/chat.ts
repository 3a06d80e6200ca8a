import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { click, write } from '../support/chat-page.ts';
import { createNetwork, type Network, root } from '../support/network.ts';

/*
 * The pictures of chat page and faucets in docs/images: `node e2e/dist/pages/chat.js`. Two users who have never been
 * there talk, each in a browser of its own.
 */

const directory = join(root, 'docs', 'images');

async function enter(page: Page, url: string, name: string): Promise<void> {
  await page.resize(900, 640);
  await page.open(url);
  await click(page, 'Get 1 RIA');
  await page.sees(/You received 1 RIA/);
  await click(page, 'Account:');
  await page.evaluate(`(() => {
    const labels = [...document.querySelectorAll('label')];
    const input = labels.find((each) => each.textContent.startsWith('Name')).querySelector('input');
    input.focus();
    input.select();
  })()`);
  await page.type(name);
  await click(page, 'Save name');
  await click(page, 'Account:');
}

async function say(from: Page, to: Page, text: string): Promise<void> {
  await write(from, text);
  await to.sees(new RegExp(text.slice(0, 20)));
  // With its final state under it.
  await from.sees(new RegExp(`${text.slice(0, 20)}[\\s\\S]*firm`));
}

async function chatPictures(network: Network, [ann, ben]: readonly [Page, Page]): Promise<void> {
  const url = network.url('rollup');
  await enter(ann, url, 'Ann');
  await enter(ben, url, 'Ben');
  await say(ann, ben, 'Hello! I opened this page a minute ago.');
  await say(ben, ann, 'Same here. The key is made in the browser, and the faucet paid the first coin.');
  await say(ann, ben, 'Each message links to its transaction in the explorer, from bundle to final block.');
  await ann.screenshot(join(directory, 'chat-light.png'));
  await ann.dark(true);
  await ann.screenshot(join(directory, 'chat-dark.png'));
  await ann.dark(false);
  await ben.resize(390, 700);
  await ben.screenshot(join(directory, 'chat-phone.png'));
}

async function faucetPicture(page: Page, url: string, address: string, name: string): Promise<void> {
  await page.resize(760, 860);
  await page.open(url);
  await page.sees(/per claim/);
  await page.evaluate('document.querySelector("#address").focus()');
  await page.type(address);
  await page.press('Enter');
  await page.sees(/in block \d+\./);
  await page.screenshot(join(directory, `${name}.png`));
}

const browser = findBrowser();
if (browser === undefined) throw new Error('no Chromium was found');
mkdirSync(directory, { recursive: true });
const network = await createNetwork({ init: ['--template', 'messenger,evm'] });
const pages: Page[] = [];
try {
  await network.start();
  const [ann, ben] = [await openPage(browser), await openPage(browser)];
  pages.push(ann, ben);
  await chatPictures(network, [ann, ben]);
  const carol = 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk';
  await faucetPicture(ann, network.url('messengerFaucet'), carol, 'faucet-messenger');
  await faucetPicture(ann, network.url('faucet'), '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'faucet-evm');
} finally {
  await Promise.all([...pages.map((page) => page.close()), network.dispose()]);
}
