import { consensusNode, DaUnavailable } from '@switchyard/da';
import { parseCelestiaAddress } from '@switchyard/protocol/celestia/address';
import { errorLine, grpcTransport } from '@switchyard/service';
import { type Finding, fail, ok, warn } from './finding.ts';

/** A person waits for it. */
const PATIENCE_MS = 10_000;

export interface Posting {
  /** gRPC of consensus nodes, one of which is enough. */
  readonly urls: readonly string[];
  readonly chainId: string | undefined;
  /** `celestia1...`; undefined if it is not known, which is reported elsewhere. */
  readonly account: string | undefined;
  /** In utia: a lower balance is reported. */
  readonly lowBalance: bigint;
}

export interface PostingFinding extends Finding {
  /** The node has answered, and the account has nothing. */
  readonly isUnfunded?: boolean;
}

/** Asks the nodes that a relayer posts to: each has to be of the chain, and its account needs funds. */
export async function askConsensusNodes({ urls, ...item }: Posting): Promise<PostingFinding[]> {
  const found = await Promise.all(urls.map((url) => askNode(url, item)));
  return found.flat();
}

async function askNode(url: string, { chainId, account, lowBalance }: Omit<Posting, 'urls'>) {
  const transport = grpcTransport(url, { timeoutMs: PATIENCE_MS });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const node = consensusNode(transport, url);
  try {
    const actual = await node.chainId(signal);
    if (chainId !== undefined && actual !== chainId) {
      const advice = 'use a node of that chain, or correct the chain id';
      return [fail('relayer', `${url} is of chain ${actual}, expected ${chainId}`, advice)];
    }
    const line = `${url} is of chain ${actual}`;
    if (account === undefined) return [ok('relayer', line)];
    return [checkFunds(line, account, await node.balance(parseCelestiaAddress(account), signal), lowBalance)];
  } catch (error) {
    if (!signal.aborted && !(error instanceof DaUnavailable))
      return [fail('relayer', errorLine(error), 'name the gRPC of a consensus node of Celestia')];
    const reason = signal.aborted ? `no answer within ${PATIENCE_MS / 1_000} s` : errorLine(error);
    return [warn('relayer', `${url} does not answer: ${reason}`, 'start the node, or correct the address')];
  } finally {
    transport.close();
  }
}

function checkFunds(line: string, account: string, balance: bigint, lowBalance: bigint): PostingFinding {
  const holds = `${line}, ${account} holds ${balance} utia there`;
  if (balance > 0n && balance >= lowBalance) return ok('relayer', holds);
  const isUnfunded = balance === 0n;
  return {
    ...warn('relayer', isUnfunded ? `${holds}: nothing can be posted` : holds, 'send it some utia'),
    isUnfunded,
  };
}
