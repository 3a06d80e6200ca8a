import { readFile, stat } from 'node:fs/promises';
import { errorLine, InvalidConfig, Secret } from '@switchyard/service';
import type { GethConfig } from './fields.ts';
import { httpLink } from './http-link.ts';
import { ipcLink } from './ipc-link.ts';
import type { Link } from './link.ts';

export interface GethLinks {
  /** For building blocks. */
  readonly link: Link;
  /** For questions, whose long answers shall not delay a block. */
  readonly queries: Link;
  close(): void;
}

/** Longest answer to a question. Longer traces are refused. */
const MAX_QUERY_BYTES = 64 * 1_048_576;

/** @throws {InvalidConfig} if the settings name no way, or the secret cannot be read. */
export async function openLinks(config: GethConfig): Promise<GethLinks> {
  const { stockIpcPath, stockRpcUrl: rpcUrl, stockEngineUrl: engineUrl, stockJwtFile } = config;
  if (stockIpcPath !== undefined)
    return toLinks(ipcLink(stockIpcPath), ipcLink(stockIpcPath, { maxAnswerBytes: MAX_QUERY_BYTES }));
  if (rpcUrl === undefined || engineUrl === undefined || stockJwtFile === undefined)
    throw invalid(
      'SVC_EVM_STOCK_IPC_PATH',
      "geth's unix socket, or all of SVC_EVM_STOCK_RPC_URL, SVC_EVM_STOCK_ENGINE_URL and SVC_EVM_STOCK_JWT_FILE",
      'nothing',
      'set it, for example SVC_EVM_STOCK_IPC_PATH=/data/geth.ipc',
    );
  const jwtSecret = await readSecret(stockJwtFile);
  const link = httpLink({ rpcUrl, engineUrl, jwtSecret });
  return toLinks(link, link);
}

function toLinks(link: Link, queries: Link): GethLinks {
  return {
    link,
    queries,
    close() {
      link.close();
      queries.close();
    },
  };
}

async function readSecret(file: string): Promise<Secret<Uint8Array>> {
  const expected = 'a file with 32 bytes in hex, which only its owner can read';
  const advice = 'give the file that geth was started with as --authrpc.jwtsecret, with mode 0600';
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) throw new Error(`it has mode 0${(mode & 0o777).toString(8)}`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw invalid('SVC_EVM_STOCK_JWT_FILE', expected, errorLine(error), advice);
  }
  const digits = /^\s*(?:0x)?([0-9a-f]{64})\s*$/i.exec(text)?.[1];
  if (digits === undefined) throw invalid('SVC_EVM_STOCK_JWT_FILE', expected, 'something else', advice);
  return new Secret(new Uint8Array(Buffer.from(digits, 'hex')));
}

function invalid(variable: string, expected: string, got: string, advice: string): InvalidConfig {
  return new InvalidConfig({ variable, expected, got, advice });
}
