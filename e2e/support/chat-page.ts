import type { Page } from './browser.ts';
import { until } from './network.ts';

/** Clicks the element with this visible text in the chat page, once possible. */
export const click = (page: Page, text: string) =>
  until(`${text} can be clicked`, async () =>
    (await page.evaluate(`(() => {
      const all = [...document.querySelectorAll('button, summary')];
      const found = all.find((each) => each.textContent.startsWith(${JSON.stringify(text)}) && !each.disabled);
      found?.click();
      return found !== undefined;
    })()`))
      ? true
      : undefined,
  );

/** Types a message and sends it by the button, since the Enter of a telephone begins a line. */
export async function write(page: Page, text: string): Promise<void> {
  await page.evaluate('document.querySelector("#message").focus()');
  await page.type(text);
  await until('the message can be sent', async () =>
    (await page.evaluate(`(() => {
      const button = document.querySelector('.write [type="submit"]');
      const canSend = !button.disabled;
      button.click();
      return canSend;
    })()`))
      ? true
      : undefined,
  );
}
