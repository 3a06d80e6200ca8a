import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBrowser } from '../support/browser.ts';
import { columns } from '../support/columns.ts';
import { createNetwork, root, run } from '../support/network.ts';
import { getPages } from './pages.ts';

const HELP = `usage: node e2e/dist/pages/lighthouse.js [options]

Starts a network of its own and lets Lighthouse look at its pages, each with a cold cache. Exits with status 1 where a score is below
95. Run it on a machine that does nothing else: performance is measured.

  --only NAMES   comma-separated: start, chat, explorer, faucet, reference
  --form NAME    desktop (default), or mobile: as on a phone with a slow processor and a slow network, without a verdict
  --runs N       how often each page is opened, default 1; the run with the median performance is reported
  --json         the results as one JSON value`;

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const REQUIRED = 95;
const LIGHTHOUSE = join(root, 'e2e', 'tools', 'node_modules', 'lighthouse', 'cli', 'index.js');

/** Metrics that the performance is computed from. The layout shift is a ratio, the others are times. */
const METRICS: readonly (readonly [id: string, name: string])[] = [
  ['first-contentful-paint', 'first content'],
  ['largest-contentful-paint', 'largest content'],
  ['speed-index', 'speed index'],
  ['total-blocking-time', 'blocked'],
  ['cumulative-layout-shift', 'layout shift'],
];

interface Result {
  readonly page: string;
  readonly scores: readonly number[];
  /** Values of `METRICS`, in their order. */
  readonly metrics: readonly number[];
  /** Findings, with the page's elements. */
  readonly found: readonly string[];
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    form: { type: 'string', default: 'desktop' },
    runs: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1 || runs > 9) throw new Error(`--runs ${values.runs}: expected 1 to 9`);
const browser = findBrowser();
if (browser === undefined) throw new Error('no Chromium found: install chromium');
if (!existsSync(LIGHTHOUSE)) throw new Error('no Lighthouse: node scripts/prepare.mjs --tools installs it');

async function audit(page: string, url: string): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-lighthouse-'));
  const path = join(directory, 'report.json');
  try {
    const { status, stderr } = await run(
      process.execPath,
      [
        ...[LIGHTHOUSE, url, '--quiet', '--output=json', `--output-path=${path}`],
        `--only-categories=${CATEGORIES.join(',')}`,
        ...(values.form === 'desktop' ? ['--preset=desktop'] : []),
        '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
        // A page with live data is never without requests.
        '--max-wait-for-load=15000',
        '--no-enable-error-reporting',
      ],
      { CHROME_PATH: browser ?? '', HOME: directory },
    );
    if (!existsSync(path)) throw new Error(`lighthouse ended with status ${status}: ${stderr.slice(-2_000)}`);
    return makeResult(page, JSON.parse(readFileSync(path, 'utf8')));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The part of Lighthouse's report that is read. */
interface Report {
  readonly runtimeError?: { readonly message: string };
  readonly categories: Readonly<
    Record<
      string,
      { readonly score: number | null; readonly auditRefs: readonly { readonly id: string; readonly weight: number }[] }
    >
  >;
  readonly audits: Readonly<
    Record<
      string,
      {
        readonly score: number | null;
        readonly title: string;
        readonly numericValue?: number;
        readonly displayValue?: string;
      }
    >
  >;
}

function makeResult(page: string, { categories, audits, runtimeError }: Report): Result {
  if (runtimeError !== undefined) throw new Error(`${page}: ${runtimeError.message}`);
  const scores = CATEGORIES.map((name) => Math.round(100 * (categories[name]?.score ?? 0)));
  const found = CATEGORIES.flatMap((name) =>
    (categories[name]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => `${audits[id]?.title} ${audits[id]?.displayValue ?? ''}`.trim()),
  );
  return { page, scores, metrics: METRICS.map(([id]) => audits[id]?.numericValue ?? 0), found };
}

/** Runs the audit several times and picks the run with the median performance. */
async function median(page: string, url: string): Promise<Result> {
  const results: Result[] = [];
  while (results.length < runs) {
    const result = await audit(page, url);
    results.push(result);
    // A run that is ended early was not in vain.
    process.stderr.write(
      `${page}, run ${results.length}: ${[...result.scores, ...result.metrics.map(metricText)].join('  ')}\n`,
    );
  }
  results.sort((a, b) => (a.scores[0] ?? 0) - (b.scores[0] ?? 0));
  const middle = results[Math.floor((results.length - 1) / 2)];
  if (middle === undefined) throw new Error('no run');
  return middle;
}

const metricText = (value: number, index: number) =>
  METRICS[index]?.[0] === 'cumulative-layout-shift' ? value.toFixed(3) : `${Math.round(value)} ms`;

const network = await createNetwork({ instance: 'lighthouse', init: ['--template', 'messenger,evm'] });
try {
  await network.start('local', [], 120_000);
  const only = values.only?.split(',');
  const pages = (await getPages(network)).filter(({ name, isFirst }) =>
    only === undefined ? isFirst : only.includes(name),
  );
  const results: Result[] = [];
  for (const { name, url } of pages) results.push(await median(name, url));
  if (values.json) console.log(JSON.stringify(results));
  else {
    const rows = results.map(({ page, scores, metrics }) => [
      '',
      page,
      ...scores.map(String),
      ...metrics.map(metricText),
    ]);
    console.log(columns([['', 'page', ...CATEGORIES, ...METRICS.map(([, name]) => name)], ...rows]));
    for (const { page, found } of results) for (const each of found) console.log(`${page}: ${each}`);
  }
  const isGood = results.every(({ scores }) => scores.every((score) => score >= REQUIRED));
  if (!isGood && values.form === 'desktop') process.exitCode = 1;
} finally {
  await network.dispose();
}
