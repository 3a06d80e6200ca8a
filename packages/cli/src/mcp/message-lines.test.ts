import { PassThrough } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import { MAX_LINE_BYTES, messageLines } from './serve.ts';

/** A server as the command has it, over streams. */
function server() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers: { readonly id: unknown; readonly error?: { readonly code: number }; readonly result?: object }[] = [];
  output.on('data', (chunk: Buffer) => {
    for (const line of String(chunk).split('\n').filter(Boolean)) answers.push(JSON.parse(line));
  });
  const lines = input.pipe(messageLines((line) => output.write(line)));
  const transport = new StdioServerTransport(lines, output, { maxBufferSize: 2 * MAX_LINE_BYTES });
  const handle = serveStdio(() => new McpServer({ name: 'test', version: '1' }), { transport });
  return { input, answers, [Symbol.asyncDispose]: () => handle.close() };
}

const request = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const initialize = (id: number) =>
  request(id, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });

// Defect: `switchyard mcp` ended at junk or a line of 5 MB
test.each([
  ['junk', 'this is no JSON\n', -32_700],
  ['junk of several bytes with none of text', `${'\u0000\u00ff'.repeat(9)}\n`, -32_700],
  ['a line of 5 MB', `${'x'.repeat(5_000_000)}\n`, -32_700],
  ['a message of 5 MB', request(7, 'x'.repeat(5_000_000)), -32_700],
  ['a value that is no message', '42\n', -32_600],
  ['a list of messages', `[${initialize(7).trim()}]\n`, -32_600],
  ['an object that is no message', '{"jsonrpc":"1.0"}\n', -32_600],
])('%s is answered with an error, and what follows as ever', async (_, line, code) => {
  await using mcp = server();
  mcp.input.write(line);
  await expect.poll(() => mcp.answers).toMatchObject([{ id: null, error: { code } }]);
  // In two pieces.
  mcp.input.write(initialize(1).slice(0, 20));
  mcp.input.write(initialize(1).slice(20));
  await expect.poll(() => mcp.answers.slice(1)).toMatchObject([{ id: 1, result: { serverInfo: { name: 'test' } } }]);
});
