import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { click, write } from '../support/chat-page.ts';
import { createNetwork, type Network, root } from '../support/network.ts';

/*
 * The pictures of chat page and faucets in docs/images: `node e2e/dist/pages/chat.js`. Users who have never been
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
  await page.press('Escape');
}

async function say(from: Page, to: Page, text: string): Promise<void> {
  await write(from, text);
  await to.sees(new RegExp(text.slice(0, 20)));
  // With its final state under it.
  await from.sees(new RegExp(`${text.slice(0, 20)}[\\s\\S]*firm`));
}

const closeToasts = (page: Page) =>
  page.evaluate(`document.querySelectorAll('.toasts button').forEach((each) => each.click())`);

async function chatPictures(network: Network, [ann, ben]: readonly [Page, Page]): Promise<void> {
  const url = network.url('rollup');
  await enter(ann, url, 'Ann');
  await enter(ben, url, 'Ben');
  await say(ann, ben, 'Hello! I opened this page a minute ago.');
  await say(ben, ann, 'Same here. The key is made in the browser, and the faucet paid the first coin.');
  await say(ann, ben, 'Each message links to its transaction in the explorer, from bundle to final block.');
  await closeToasts(ann);
  await ann.screenshot(join(directory, 'chat-light.png'));
  await ann.dark(true);
  await ann.screenshot(join(directory, 'chat-dark.png'));
  await ann.dark(false);
}

/** All that a stranger does on a phone, from an empty browser: coins, a message, a reply, a payment, and the proof of it all. */
async function stranger(network: Network, page: Page, ben: Page): Promise<void> {
  await page.resize(390, 760);
  const opened = performance.now();
  await page.open(network.url('rollup'));
  await click(page, 'Get 1 RIA');
  await page.sees(/You received 1 RIA/);
  await write(page, 'Hello from a phone.');
  await ben.sees(/Hello from a phone/);
  console.log(
    `first message of a stranger, seen by another one: ${((performance.now() - opened) / 1_000).toFixed(1)} s`,
  );
  const line = (words: string) =>
    `[...document.querySelectorAll('.line')].find((each) => each.textContent.includes('${words}'))`;
  await page.evaluate(`${line('Same here')}.querySelector('.reply').click()`);
  await write(page, 'So was mine, a moment ago.');
  await ben.sees(/So was mine/);
  const receiver = await page.evaluate(`${line('Same here')}.querySelector('button[title^="astria1"]').title`);
  await click(page, 'Send coins');
  await page.evaluate('document.querySelector("#to").focus()');
  await page.type(String(receiver));
  await page.evaluate('document.querySelector("#amount").focus()');
  await page.type('0.25');
  await page.press('Enter');
  await ben.sees(/You received 0\.25 RIA/);
  await page.press('Escape');
  await page.sees(/Hello from a phone\.[\s\S]*firm · verified/, 60_000);
  await closeToasts(page);
  await page.screenshot(join(directory, 'chat-phone.png'));
  await page.evaluate(`${line('Hello from a phone')}.querySelector('.state').click()`);
  await page.open(String(await page.evaluate(`${line('Hello from a phone')}.querySelector('.facts a').href`)));
  await page.sees(/Sequenced[\s\S]*Executed/);
  await click(page, 'Check the inclusion proof');
  await page.sees(/Checked in this page: the data is in block/);
  await page.screenshot(join(directory, 'explorer-message-phone.png'));
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
  const [ann, ben, phone] = [await openPage(browser), await openPage(browser), await openPage(browser)];
  pages.push(ann, ben, phone);
  await chatPictures(network, [ann, ben]);
  await stranger(network, phone, ben);
  const carol = 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk';
  await faucetPicture(ann, network.url('messengerFaucet'), carol, 'faucet-messenger');
  await faucetPicture(ann, network.url('faucet'), '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'faucet-evm');
} finally {
  await Promise.all([...pages.map((page) => page.close()), network.dispose()]);
}
