import { expect, test } from 'vitest';
import { integer } from '../input/values.ts';
import { field, InvalidConfig } from '../settings/config.ts';
import { standardFields } from '../settings/standard-fields.ts';
import { settle } from '../testing.ts';
import { aborted } from '../timing/abort.ts';
import { EXIT, type ProcessSpec, runProcess } from './process.ts';

const fields = { ...standardFields('', '127.0.0.1:0'), size: field('SIZE', integer(), { help: 'how big' }) };
type Main = ProcessSpec<typeof fields>['main'];

/** A process with nothing real: hooks are called by the test, output and exit codes are kept. */
function start(
  main: Main,
  { env = {}, args = [], closeWithinMs = 1_000 }: { env?: object; args?: string[]; closeWithinMs?: number } = {},
) {
  const seen = { out: '', err: '', exits: [] as number[] };
  const hooks = { signal: (_: string) => {}, inputEnd: () => {}, unhandled: (_: unknown) => {} };
  const done = runProcess(
    { name: 'box', fields, main, closeWithinMs },
    {
      env: { SIZE: '1', NO_METRICS: 'true', ...env },
      args,
      terminal: false,
      stdout: (text) => {
        seen.out += text;
      },
      stderr: (text) => {
        seen.err += text;
      },
      onSignal: (stop) => {
        hooks.signal = stop;
      },
      onInputEnd: (end) => {
        hooks.inputEnd = end;
      },
      onUnhandled: (fail) => {
        hooks.unhandled = fail;
      },
      exit: (code) => void seen.exits.push(code),
    },
  );
  return { seen, hooks, done };
}

test('runs until a signal, closes in reverse and ends with 0', async () => {
  const order: string[] = [];
  const { hooks, seen, done } = start(async ({ size }, { defer, signal, background }) => {
    order.push(`size ${size}`);
    defer(() => void order.push('first'));
    defer(async () => void order.push('second'));
    background(
      aborted(signal)
        .then(settle)
        .then(() => void order.push('loop')),
    );
  });
  await settle();
  expect(seen.exits).toEqual([]);
  hooks.signal('SIGTERM');
  await done;
  expect(order).toEqual(['size 1', 'loop', 'second', 'first']);
  expect(seen.exits).toEqual([0]);
  expect(seen.err).toBe('');
});

test('one whose work is done ends by itself, in order', async () => {
  const closed: string[] = [];
  const { seen, done } = start(async (_, { defer }) => {
    defer(() => void closed.push('store'));
    return 'done';
  });
  await done;
  expect([seen.exits, closed]).toEqual([[0], ['store']]);
});

test('a file that the settings point to may be wrong too: every problem, and 78', async () => {
  const problem = (variable: string) => ({ variable, expected: 'text', advice: 'correct the file' });
  const { seen, done } = start(async () => {
    throw new InvalidConfig([problem('genesis.json: name'), problem('genesis.json: size')]);
  });
  await done;
  expect([seen.exits, seen.err.split('\n')]).toEqual([
    [78],
    [
      'box: genesis.json: name: expected text; correct the file',
      'box: genesis.json: size: expected text; correct the file',
      '',
    ],
  ]);
});

test('reports in one line each what is wrong with the configuration, and ends with 78', async () => {
  const { seen, done } = start(async () => {}, { env: { SIZE: 'x', LOG: 'loud' } });
  await done;
  expect(seen.exits).toEqual([78]);
  expect(seen.err.split('\n').map((line) => line.slice(0, 20))).toEqual([
    'box: LOG: expected l',
    'box: SIZE: expected ',
    '',
  ]);
});

// Defect: Refusals of `evm dev` and `evm import` named variables if the user had typed options
test('a refusal names the option that a command made the setting from', async () => {
  const env = { SIZE: 'x', LOG: 'loud', SWITCHYARD_OPTIONS: 'SIZE=--size' };
  const { seen, done } = start(async () => {}, { env });
  await done;
  expect(seen.err.split('\n')).toMatchObject([
    expect.stringMatching(/^box: LOG: expected .* LOG=/),
    'box: --size: expected a whole number, at least 0, got "x"; correct it, for example --size 0',
    '',
  ]);
});

test('a failure closes everything, and is one line without a stack', async () => {
  let closed = false;
  const { seen, done } = start(async (_, { defer }) => {
    defer(() => {
      closed = true;
    });
    throw new Error('cannot open /data', { cause: new Error('no space') });
  });
  await done;
  expect(closed).toBe(true);
  expect(seen.exits).toEqual([1]);
  expect(seen.err).toBe('box: cannot open /data: no space\n');
  expect(seen.out).not.toContain('stack');
});

test('an error that names an exit code ends the process with it, also behind another error', async () => {
  const damaged = Object.assign(new Error('data.mdb is damaged'), { exitCode: EXIT.damaged });
  const { seen, done } = start(async (_, { fail }) => fail(new Error('query failed', { cause: damaged })));
  await done;
  expect(seen).toMatchObject({ exits: [65], err: 'box: query failed: data.mdb is damaged\n' });
});

test('the stack is in the log at debug level', async () => {
  const { seen, done } = start(async () => Promise.reject(new Error('broken')), { env: { LOG: 'debug' } });
  await done;
  expect(seen.out).toContain('process.test.ts');
});

test('a failure of background work ends the process', async () => {
  const { seen, done } = start(async (_, { background }) => background(Promise.reject(new Error('lost the chain'))));
  await done;
  expect(seen).toMatchObject({ exits: [1], err: 'box: lost the chain\n' });
});

test('being aborted is no failure', async () => {
  const { seen, hooks, done } = start(
    (_, { signal }) => new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  await settle();
  hooks.signal('SIGINT');
  await done;
  expect(seen.exits).toEqual([0]);
});

test('an error while stopping is a failure', async () => {
  const { seen, hooks, done } = start(
    (_, { signal }) =>
      new Promise((__, reject) => signal.addEventListener('abort', () => reject(new Error('commit failed')))),
  );
  await settle();
  hooks.signal('SIGINT');
  await done;
  expect(seen).toMatchObject({ exits: [1], err: 'box: commit failed\n' });
});

test('an unhandled error ends the process at once, with a mark and an exit code of its own', async () => {
  const { seen, hooks } = start(async () => {});
  await settle();
  hooks.unhandled(new TypeError('undefined is not a block'));
  expect(seen).toMatchObject({ exits: [70], err: 'box: unhandled error: undefined is not a block\n' });
});

test('a second signal does not wait', async () => {
  const { seen, hooks } = start(async (_, { defer }) => defer(() => new Promise(() => {})));
  await settle();
  hooks.signal('SIGINT');
  hooks.signal('SIGINT');
  expect(seen.exits).toEqual([1]);
});

test('closing that hangs is cut off and named', async () => {
  const { seen, hooks, done } = start(async (_, { defer }) => defer(() => new Promise(() => {})), {
    closeWithinMs: 20,
  });
  await settle();
  hooks.signal('SIGINT');
  await done;
  expect(seen).toMatchObject({ exits: [1], err: 'box: closing took longer than 20 ms\n' });
});

test('ends with its parent if set to watch it', async () => {
  const { seen, hooks, done } = start(async () => {}, { env: { SWITCHYARD_PARENT_PIPE: '1' } });
  await settle();
  hooks.inputEnd();
  await done;
  expect(seen.exits).toEqual([0]);
});

test.each([
  ['--help', '`SIZE`', 0],
  ['--version', 'switchyard box 0.', 0],
])('answers %s', async (argument, text, code) => {
  const { seen, done } = start(() => Promise.reject(new Error('must not run')), {
    args: [argument],
    env: { SIZE: 'bad' },
  });
  await done;
  expect(seen.exits).toEqual([code]);
  expect(seen.out).toContain(text);
});

test('refuses other arguments', async () => {
  const { seen, done } = start(async () => {}, { args: ['run'] });
  await done;
  expect(seen).toMatchObject({
    exits: [64],
    err: 'box: unexpected argument "run"; settings come from the environment, see --help\n',
  });
});

test('serves metrics unless disabled, and names the setting of a port in use', async () => {
  const one = start(async (_, { metrics }) => metrics.counter('things_total', 'things').add(2), {
    env: { NO_METRICS: 'false' },
  });
  await settle();
  one.hooks.signal('SIGINT');
  await one.done;
  const { createServer } = await import('node:net');
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const address = taken.address();
  const first = typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  const two = start(async () => {}, { env: { NO_METRICS: 'false', METRICS_HTTP_LISTENER_ADDR: first } });
  await two.done;
  taken.close();
  expect(one.seen.exits).toEqual([0]);
  expect(two.seen.exits).toEqual([1]);
  expect(two.seen.err).toMatch(
    /^box: cannot listen on 127\.0\.0\.1:\d+ \(METRICS_HTTP_LISTENER_ADDR\): port \d+ is already in use; .*\n$/,
  );
});
