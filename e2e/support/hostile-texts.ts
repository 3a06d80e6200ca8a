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
  `hidden \u200b\u00ad\ufeff\u2060\u0000\u001b[2J\ufffd${'\u3164'.repeat(20)}`,
  `zalgo ${ZALGO}`,
  `long ${'x'.repeat(1_900)}`,
  `wide ${'\ufdfd'.repeat(300)}`,
  'mixed \u0430lice',
  `lines${'\n'.repeat(1_900)}end`,
];

/** Markup and scripts that would run if a page put them anywhere but into a text. */
const ATTACKS: readonly string[] = [
  '<script>ATTACK</script>',
  '<SCRIPT SRC=data:text/javascript,ATTACK></SCRIPT>',
  '<img src=x onerror=ATTACK>',
  '<svg/onload=ATTACK>',
  '<svg><a xlink:href="javascript:ATTACK"><text y=20>link</text></a></svg>',
  '<svg><animate onbegin=ATTACK attributeName=x dur=1s>',
  '<iframe srcdoc="<script>parent.ATTACK</script>"></iframe>',
  '<iframe src="javascript:parent.ATTACK"></iframe>',
  '<a href="javascript:ATTACK">link</a>',
  '<a href="java&#x0A;script:ATTACK">link</a>',
  '<object data="data:text/html,<script>ATTACK</script>"></object>',
  '<embed src="javascript:ATTACK">',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=javascript:ATTACK">',
  '<link rel=stylesheet href="data:text/css,*{display:none}">',
  '<style>*{display:none}@import "https://evil.example/x.css";</style>',
  '<form action="javascript:ATTACK"><button>Send</button></form>',
  '<details open ontoggle=ATTACK>',
  '<input autofocus onfocus=ATTACK>',
  '<video><source onerror=ATTACK></video>',
  '<math><mtext></table><img src=x onerror=ATTACK></mtext></math>',
  '<noscript><p title="</noscript><img src=x onerror=ATTACK>"></noscript>',
  '<![CDATA[<script>ATTACK</script>]]>',
  '&lt;script&gt;ATTACK&lt;/script&gt;&#60;img src=x onerror=ATTACK&#62;',
  '{{constructor.constructor("ATTACK")()}}{{{ATTACK}}}$\u{7b}ATTACK}<%= ATTACK %>#{ATTACK}',
];
/** Ends of constructs that a page might have put a text into. */
const ESCAPES: readonly string[] = ['', '">', "' ", '--></textarea></title></style></script>'];

const hidden = (code: number) => `a${String.fromCodePoint(code)}b`;
const codes = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

/** Texts that are hard to show: hidden, high, wide, long, without meaning, or with another one. */
const SHAPES: readonly string[] = [
  // Controls, those of direction, and characters without a picture.
  ...[...codes(0x00, 9), ...codes(0x0b, 21), 0x7f, 0x85, 0x9b].map(hidden),
  ...[0x61c, 0x200e, 0x200f, ...codes(0x202a, 5), ...codes(0x2066, 4)].map((code) => `${hidden(code)} gpj.exe`),
  ...[0xad, 0x34f, 0x115f, 0x180e, 0x200b, 0x200c, 0x2060, 0x2063, 0x3164, 0xfeff, 0xfff9, 0xe0041, 0xd800].map(hidden),
  // Marks that pile up, and letters that are wide.
  ...[0x300, 0x323, 0x489, 0x20dd, 0xe47].map((code) => `a${String.fromCodePoint(code).repeat(200)}`),
  ...['\ufdfd', '\u{12031}', '\u2e3b', '\u{1242b}'].map((wide) => wide.repeat(100)),
  ...['x', 'W', '\u00df', '_', '0x', '/', '\u5b57', '\u0e01'].map((part) =>
    part.repeat(1_800 / Buffer.byteLength(part)),
  ),
  ...[' ', '\n', '\t', '\r\n', '\u2028'].map((space) => `a${space.repeat(300)}b`),
  // Emoji of several characters.
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  '\u{1f44d}\u{1f3ff}\u{1f1e9}\u{1f1ea}1\ufe0f\u20e3',
  '\u{1f9d1}'.repeat(400),
  // Names that programs know.
  ...[
    'null',
    'undefined',
    'NaN',
    '[object Object]',
    '__proto__',
    'constructor',
    'toString',
    '-0',
    '1e309',
    '%00',
    '../../etc',
  ],
  ...[
    '%3Cscript%3EATTACK%3C/script%3E',
    '\\u003cscript\\u003eATTACK',
    "'; DROP TABLE texts; --",
    '`ATTACK`',
    'javascript:ATTACK',
  ],
];

/** Two hundred texts of strangers. Each begins with a word of its own, `h0` to `h199`. */
export const ALL_HOSTILE_TEXTS: readonly string[] = [
  ...ESCAPES.flatMap((end) => ATTACKS.map((attack) => end + attack)),
  ...SHAPES,
]
  .slice(0, 200)
  .map((text, index) => `h${index} ${text.replaceAll('ATTACK', `attacked=${100 + index}`)}`);

/** A name that begins like a text, as long as names may be. */
export const hostileName = (text: string): string => [...text].slice(0, 18).join('');

/** Has a page note whether a script of a text runs, and what its security policy refuses. Before it is opened. */
export const watchAttacks = (page: Page) =>
  page.runFirst(`window.refusals = [];
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = () => { window.attacked = name; };
    document.addEventListener('securitypolicyviolation', (event) => refusals.push(event.violatedDirective + ' ' + event.blockedURI));`);

/** Elements that no page of ours has in its body. */
const FOREIGN = [
  ...['script', 'style', 'link', 'meta', 'base', 'iframe', 'object', 'embed', 'img', 'video', 'math', 'animate'],
  ...['a[href^="javascript:" i]', 'a[href^="data:" i]', 'form[action]'],
].map((each) => `body ${each}`);

/** Traces that an attack would have left in a page: scripts that ran, refusals, elements, a part that sticks out to the side. */
export const attacksOn = (page: Page) =>
  page.evaluate(`({
    attacked: window.attacked ?? 'no',
    refusals: window.refusals,
    foreign: [...document.querySelectorAll(${JSON.stringify(FOREIGN.join())})].map((each) => each.outerHTML.slice(0, 200)),
    handlers: [...document.querySelectorAll('body *')].flatMap((each) => each.getAttributeNames().filter((name) => /^on/i.test(name))),
    wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  })`);
export const UNHARMED = { attacked: 'no', refusals: [], foreign: [], handlers: [], wider: 0 };
