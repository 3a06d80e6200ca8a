import type { Page } from './browser.ts';

const ZALGO = `z${'\u0351\u0323\u035f'.repeat(100)}`;

/** Texts of strangers that pages have to survive; each begins with a word by which its place is found. */
export const HOSTILE_TEXTS: readonly string[] = [
  'script <script>window.attacked = 1</script>',
  'image <img src=x onerror="window.attacked = 2"><svg onload="window.attacked = 3">',
  'quote "><iframe srcdoc="<script>parent.attacked = 4</script>"></iframe>',
  'link javascript:window.attacked=5 data:text/html,<script>parent.attacked=6</script>',
  'entity &lt;script&gt;window.attacked = 7&lt;/script&gt; &#x202e;',
  'template {{constructor.constructor("window.attacked = 8")()}} $\u{7b}window.attacked = 9}',
  'bidi \u202e\u2066\u2067gnitsrever\u061c',
  `hidden \u200b\u00ad\ufeff\u2060\u0000\u001b[2J\ud800${'\u3164'.repeat(20)}`,
  `zalgo ${ZALGO}`,
  `long ${'x'.repeat(1_900)}`,
  `wide ${'\ufdfd'.repeat(300)}`,
  `lines${'\n'.repeat(1_900)}end`,
];

/** A name that begins like a text, as long as names may be. */
export const hostileName = (text: string): string => [...text].slice(0, 20).join('');

/** Has a page note whether a script of a text runs, and what its security policy refuses. Before it is opened. */
export const watchAttacks = (page: Page) =>
  page.runFirst(`window.refusals = [];
    document.addEventListener('securitypolicyviolation', (event) => refusals.push(event.violatedDirective + ' ' + event.blockedURI));`);

/** Traces that an attack would have left in a page: scripts that ran, refusals, a part that sticks out to the side. */
export const attacksOn = (page: Page) =>
  page.evaluate(`({
    attacked: window.attacked ?? 'no',
    refusals: window.refusals,
    wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  })`);
export const UNHARMED = { attacked: 'no', refusals: [], wider: 0 };
