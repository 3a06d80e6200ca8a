/** The only place that matches the messages of EVM nodes, which have no codes for these cases. */
import type { JsonRpcError } from '@switchyard/service';

/** Meaning of a node's refusal of a signed payment. */
export type SendVerdict = 'held' | 'sign-again' | 'later';

/** The words are those of geth, which others have taken over, and of anvil. */
export function sendVerdict({ rpcMessage }: JsonRpcError): SendVerdict {
  if (/already known|already imported|known transaction|already in/i.test(rpcMessage)) return 'held';
  // Another transaction with this nonce is pending: only a block decides. (Contains "underpriced", so it comes first.)
  if (/replacement|nonce too low|nonce is too low|on its way/i.test(rpcMessage)) return 'later';
  if (/max fee per gas|max priority fee|fee cap|underpriced|base ?fee/i.test(rpcMessage)) return 'sign-again';
  return 'later';
}

/** Why an estimate failed. */
export type EstimateVerdict =
  /** The recipient's code does not take the payment. */
  | 'refused'
  /** The faucet has too little. */
  | 'empty'
  /** The node could not tell. */
  | 'doubtful';

const REVERTED = 3;

export function estimateVerdict({ code, rpcMessage }: JsonRpcError): EstimateVerdict {
  // Geth reports both in one line for an account that cannot pay the value.
  if (/insufficient (funds|balance)|out of ?funds|gas required exceeds allowance \(0\)/i.test(rpcMessage))
    return 'empty';
  if (code === REVERTED || /revert|invalid opcode|gas required exceeds|out of gas/i.test(rpcMessage)) return 'refused';
  return 'doubtful';
}
