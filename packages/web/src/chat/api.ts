import { parseInput, type RollupClient, rollupClient } from '@switchyard/client/rollup';
import { account, readText, signText, type Text, texts } from '@switchyard/messenger/client';
import { formatAddress, type Signer } from '@switchyard/protocol';

export interface NodeStatus {
  readonly rollupName: string;
  readonly chainId: string;
  readonly nativeAsset: string;
}

/** The node that served this page. */
const node = (): RollupClient => rollupClient({ url: location.origin });

export async function nodeStatus(): Promise<NodeStatus> {
  const { rollup, chainId, all } = await node().status();
  return { rollupName: rollup, chainId, nativeAsset: String(all.nativeAsset ?? '') };
}

const MAX_SHOWN_FIRST = 200;

/** The newest messages, oldest first. */
export const newestTexts = (): Promise<Text[]> => texts(node(), { limit: MAX_SHOWN_FIRST });

/** The message in an event of `/v1/events`. */
export const textOfEvent = (data: string): Text => readText(parseInput(data, 'event'));

/** The number of the block in such an event. */
export const blockOfEvent = (data: string): string => String(parseInput(data, 'event').at('number').big());

export async function balanceOf(signer: Signer, asset: string): Promise<bigint> {
  const { balances } = await account(node(), formatAddress(signer.account));
  return balances.find((held) => held.asset === asset)?.amount ?? 0n;
}

/** Signs and submits. @returns the hash under which the message will appear. */
export async function send(signer: Signer, status: NodeStatus, from: string, text: string): Promise<string> {
  const nonce = await node().nonce(formatAddress(signer.account));
  const { chainId, nativeAsset: feeAsset } = status;
  return (await node().submit(signText({ nonce, chainId, text, from, feeAsset }, signer))).hash;
}

/** Why a transaction was refused in its block, once that is known; undefined if it was executed. */
export async function refusalOf(hash: string): Promise<string | undefined> {
  const outcome = await node().waitForTransaction(hash, { until: 'executed' });
  return outcome?.state === 'refused' ? outcome.reason : undefined;
}
