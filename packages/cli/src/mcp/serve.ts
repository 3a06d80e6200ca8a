import { Transform } from 'node:stream';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Failure } from '@switchyard/service/failure';
import type { World } from '../cli.ts';
import { describeError } from '../describe-error.ts';
import type { InstancePaths } from '../dev/instance/home.ts';
import { VERSION } from '../version.ts';
import { MAX_ANSWER } from './run-command.ts';
import { type CallContext, type Program, TOOLS, type Tool } from './tools.ts';

/** Calls under way; further ones are refused until one has ended, even if its client has cancelled it. */
const MAX_CALLS = 8;
const DEADLINE_MS = 120_000;

/** Serves the tools on standard input and output until the client closes them, or the program has to end. */
export async function serve(paths: InstancePaths, world: World, program: Program): Promise<void> {
  const calls = new Calls();
  const stop = new AbortController();
  const transport = new Transport(() => stop.abort());
  const handle = serveStdio(() => createServer({ paths, program }, world, calls, stop.signal), { transport });
  world.onStop(() => stop.abort());
  // The end of the signal ends the processes of calls that are under way, too.
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
  await handle.close();
}

/** Standard input and output. It closes at the end of the input. */
class Transport extends StdioServerTransport {
  constructor(private readonly onEnd: () => void) {
    const lines = process.stdin.pipe(messageLines((line) => process.stdout.write(line)));
    super(lines, process.stdout, { maxBufferSize: 2 * MAX_LINE_BYTES });
  }

  override async close(): Promise<void> {
    await super.close();
    this.onEnd();
  }
}

function createServer(
  target: Omit<CallContext, 'world'>,
  { env, directory }: World,
  calls: Calls,
  stopped: AbortSignal,
): McpServer {
  const server = new McpServer({ name: 'switchyard', version: VERSION });
  for (const tool of TOOLS) {
    const { name, description, properties, required, isReadOnly } = tool;
    const inputSchema = fromJsonSchema<Readonly<Record<string, unknown>>>({
      ...{ type: 'object', properties: { ...properties }, required: [...required], additionalProperties: false },
    });
    const annotations = { readOnlyHint: isReadOnly, destructiveHint: false };
    server.registerTool(name, { description, inputSchema, annotations }, async (given, { mcpReq }) => {
      const signal = AbortSignal.any([mcpReq.signal, stopped, AbortSignal.timeout(DEADLINE_MS)]);
      try {
        const text = await calls.run(tool, signal, () =>
          tool.run(given, { ...target, world: { env, directory, signal } }),
        );
        return { content: [{ type: 'text', text: bounded(text) }] };
      } catch (error) {
        return { isError: true, content: [{ type: 'text', text: bounded(describe(error)) }] };
      }
    });
  }
  return server;
}

/** Commands may print several lines before they fail; any other error is described in one line. */
const describe = (error: unknown) => (error instanceof Failure ? error.message : describeError(error).line);

const bounded = (text: string) =>
  text.length <= MAX_ANSWER ? text : `${text.slice(0, MAX_ANSWER)}\n[cut: ${MAX_ANSWER} of ${text.length} characters]`;

/** The calls that are under way. */
class Calls {
  #all = 0;
  #heavy = 0;

  /** @throws {Failure} if too many are under way, or the signal aborts first. */
  async run({ name, isHeavy }: Pick<Tool, 'name' | 'isHeavy'>, signal: AbortSignal, call: () => Promise<string>) {
    if (this.#all >= MAX_CALLS)
      throw new Failure(`${MAX_CALLS} calls are under way: call ${name} again after one ends`);
    if (isHeavy && this.#heavy > 0) throw new Failure(`a replay or a simulation is under way: call ${name} after it`);
    this.#all += 1;
    this.#heavy += isHeavy ? 1 : 0;
    const answer = (async () => call())().finally(() => {
      this.#all -= 1;
      this.#heavy -= isHeavy ? 1 : 0;
    });
    const ended = new Promise<never>((_, reject) => {
      const end = () => reject(new Failure(`${name}: cancelled, or not done within ${DEADLINE_MS / 1_000} s`));
      signal.addEventListener('abort', end, { once: true });
    });
    return Promise.race([answer, ended]);
  }
}

/** Longer lines are answered with an error, and not kept. */
export const MAX_LINE_BYTES = 262_144;
const NEWLINE = 10;

/**
 * Passes on the lines that are messages of JSON-RPC. Any other is answered with an error: the library behind would end with it.
 *
 * @param answer Takes the answer, which is a line.
 */
export function messageLines(answer: (line: string) => void): Transform {
  let pieces: Buffer[] = [];
  let length = 0;
  const take = (piece: Buffer): void => {
    length += piece.length;
    if (length <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  /** @returns the line that has ended, if it is to be passed on. */
  const end = (): string | undefined => {
    const text = Buffer.concat(pieces).toString();
    const problem =
      length > MAX_LINE_BYTES
        ? parseError(`got a line of ${length}`)
        : text.trim() === ''
          ? undefined
          : findProblem(text);
    [pieces, length] = [[], 0];
    if (problem !== undefined) answer(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: problem })}\n`);
    return problem === undefined && text !== '' ? `${text}\n` : undefined;
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        const line = end();
        if (line !== undefined) this.push(line);
        from = at + 1;
      }
      take(chunk.subarray(from));
      done();
    },
    flush: (done) => done(null, end()),
  });
}

const parseError = (got: string) => ({
  code: -32_700,
  message: `parse error: expected a JSON message in a line of at most ${MAX_LINE_BYTES} bytes, ${got}`,
});

function findProblem(text: string): { readonly code: number; readonly message: string } | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return parseError('got text that is no JSON');
  }
  const isMessage =
    typeof message === 'object' && message !== null && 'jsonrpc' in message && message.jsonrpc === '2.0';
  return isMessage ? undefined : { code: -32_600, message: 'invalid request: expected an object with jsonrpc "2.0"' };
}
