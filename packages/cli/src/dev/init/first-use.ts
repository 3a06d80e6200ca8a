import { EVM_CHAIN_ID } from '@switchyard/network/evm-accounts';
import { usualUrl } from '../instance/ports.ts';

/** First places to use the rollups of a running instance; without one, how to get one. */
export function firstUse(template: string, offset: number, init: string, flags: string): string[] {
  if (template === 'empty') {
    return [
      `No rollup yet: ${init} --template messenger${flags} adds one; networks-config.toml shows how to add your own`,
    ];
  }
  return [
    ...(template.includes('messenger') ? [`Then chat on ${usualUrl('messenger', 'http', offset)}`] : []),
    ...(template.includes('evm')
      ? [
          `Then connect a wallet to ${usualUrl('evm', 'http', offset)}, chain id ${EVM_CHAIN_ID}; the faucet is ${usualUrl('faucet', 'http', offset)}`,
        ]
      : []),
  ];
}
