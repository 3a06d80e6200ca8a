import { loadConfig } from '@switchyard/service';
import { testProcess } from '@switchyard/service/testing';
import { standaloneFields } from '../config.ts';
import { startStandalone } from '../run.ts';

export type Answer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
};

/** `switchyard evm dev` in this process, at a free port. @param program Of threads for calls; none, if absent. */
export async function startTestNode(env: Readonly<Record<string, string>> = {}, program?: URL) {
  const { context, end, lines } = testProcess();
  const config = loadConfig(standaloneFields, { SVC_EVM_STANDALONE_HTTP_ADDR: '127.0.0.1:0', ...env });
  const url = await startStandalone(config, context, program);
  /** @param headers Of a browser, if a page asks. */
  const post = async (body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const given = { 'content-type': 'application/json', ...headers };
    return (await fetch(url, { method: 'POST', headers: given, body })).text();
  };
  const ask = async (method: string, ...params: readonly unknown[]): Promise<Answer> =>
    JSON.parse(await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  /** @throws if the answer is an error. */
  const call = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const { result, error } = await ask(method, ...params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return { url, post, ask, call, lines, stop: end };
}
